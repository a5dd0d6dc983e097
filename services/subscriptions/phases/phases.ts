import { decidePhases } from '../../../billing/decide/phases.ts';
import type { Phase } from '../../../billing/subscriptions/agreement.ts';
import type { Plan, Subscription } from '../../../billing/subscriptions/subscription.ts';
import { conflict, contradiction, DomainError, invalid, notFound, refusalOf } from '../../../core/domain-error.ts';
import type { Instant, LocalDate } from '../../../core/instants.ts';
import { findPlan, findPlanIn } from '../../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import { overridesOf } from '../../../wire/catalog/overrides.ts';
import type { PhaseInput } from '../../../wire/subscriptions/phases.ts';
import { saveChanges } from '../../billing/save-changes.ts';
import { agreedPlan, storeAgreed } from '../../catalog/agree-version.ts';
import { newPriceId } from '../../catalog/plan-parts.ts';

/** What phases are agreed on after: the plan version of now, the customer's today and time, and the day of a planned cancel. */
type Before = { plan: Plan; today: LocalDate; at: Instant; endsOn?: LocalDate | null };

/**
 * What phases come to, one after another: the plan version of each, which is stored where it is agreed on (spec/subscriptions#phases).
 * @throws DomainError `invalid` naming what is wrong with each of them: a date that is not after today or not before the planned cancel, what
 * makes no valid plan; `not_found` for an unknown plan, `contradiction` for one that is not offered in the currency, `conflict` for an
 * archived one.
 */
export async function agreePhases(
  tx: Transaction,
  accountId: string,
  sent: readonly PhaseInput[],
  { plan, today, at, endsOn = null }: Before,
): Promise<Phase[]> {
  const refusals: DomainError[] = [];
  const phases: Phase[] = [];
  const { currency } = plan;
  // Undefined behind a plan that there is not: what would stay on it cannot be judged.
  let before: Plan | undefined = plan;
  for (const [i, phase] of sent.entries()) {
    const path = `phases.${i}`;
    const { start_date: date } = phase;
    const isLate = endsOn !== null && date >= endsOn;
    const bound = isLate ? `before ${endsOn}, when the subscription is canceled` : `after today, ${today}`;
    if (isLate || date <= today) refusals.push(invalid({ [`${path}.start_date`]: [`Must be ${bound}.`] }));
    const agreed = await agreePhase(tx, accountId, phase, { before, currency, at, path });
    before = agreed.plan;
    refusals.push(...agreed.refusals);
    if (agreed.phase) phases.push(agreed.phase);
  }
  if (refusals.length > 0) throw refusalOf(refusals);
  return phases;
}

type Asked = { before: Plan | undefined; currency: string; at: Instant; path: string };

/** What a phase comes to: the plan that it is on, where it is known, and what is refused of it. */
type AgreedPhase = { plan: Plan | undefined; phase?: Phase; refusals: DomainError[] };

async function agreePhase(
  tx: Transaction,
  accountId: string,
  sentPhase: PhaseInput,
  { before, currency, at, path }: Asked,
): Promise<AgreedPhase> {
  const { start_date: startDate, plan_id: planId = null, version = null, overrides: sentOverrides } = sentPhase;
  const wantedId = planId ?? before?.planId;
  if (wantedId === undefined) return { plan: undefined, refusals: [] };
  const isSame = wantedId === before?.planId;
  const kept = isSame ? (before.agreement?.basedOn.version ?? before.version) : null;
  const offered = await findPlanIn(tx, accountId, { planId: wantedId, version: version ?? kept, currency });
  if (!offered) {
    const latest = await findPlan(tx, accountId, wantedId);
    const message = `The plan's versions are 1 to ${latest?.version}.`;
    const missing = latest ? invalid({ [`${path}.version`]: [message] }) : notFound(`plan ${wantedId}`);
    return { plan: latest, refusals: [missing] };
  }
  const refusals: DomainError[] = [];
  if (offered.currency !== currency) {
    refusals.push(contradiction(`Plan ${wantedId} is in ${offered.currency}, the subscription in ${currency}.`));
  }
  if (!isSame && offered.status === 'archived') {
    refusals.push(conflict(`Plan ${wantedId} is archived and takes no new subscriptions.`));
  }
  if (isSame && offered.chargeTiming !== before.chargeTiming) {
    refusals.push(invalid({ [`${path}.version`]: [`Must be charged ${before.chargeTiming}, as the one before it.`] }));
  }
  const overrides = sentOverrides ? overridesOf(sentOverrides, newPriceId) : null;
  const agreed =
    overrides && (await agreedPlan(tx, accountId, offered, overrides, `${path}.overrides`).catch(asRefusal));
  if (agreed instanceof DomainError) refusals.push(agreed);
  if (agreed instanceof DomainError || refusals.length > 0) return { plan: offered, refusals };
  const plan = agreed ? await storeAgreed(tx, accountId, agreed, at) : offered;
  const isLatest = !isSame && version === null && overrides === null;
  const sent = { planId, version, overrides };
  const phase = { startDate, planId: plan.planId, version: isLatest ? null : plan.version, sent };
  return { plan, phase, refusals };
}

function asRefusal(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  throw error;
}

/** Saves the phases of a subscription, and returns it with the next one planned as a switch if that is within reach. */
async function savePhases(
  tx: Transaction,
  accountId: string,
  subscription: Subscription,
  timeZone: string,
): Promise<Subscription> {
  const decision = decidePhases(subscription, timeZone);
  await saveChanges(tx, accountId, decision.changes);
  return decision.subscription;
}

/** The phases behind a switch that is passed over go on; one of the plan that the subscription is on, then, keeps the version. */
export async function goOnWithPhases(
  tx: Transaction,
  accountId: string,
  subscription: Subscription,
  timeZone: string,
): Promise<Subscription> {
  const { planId, currency, agreement, version: now } = subscription;
  const offered = await findPlanIn(tx, accountId, { planId, version: agreement?.basedOn.version ?? now, currency });
  if (!offered) throw new Error(`plan ${planId} has lost the version of ${subscription.subscriptionId}`);
  const phases = subscription.phases.map((phase): Phase => {
    return phase.planId === planId && phase.version === null ? { ...phase, version: offered.version } : phase;
  });
  return savePhases(tx, accountId, { ...subscription, phases }, timeZone);
}
