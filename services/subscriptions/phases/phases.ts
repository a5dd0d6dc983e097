import type { Period } from '../../../billing/periods/periods.ts';
import type { Phase } from '../../../billing/subscriptions/agreement.ts';
import { phaseBegunBy, phasesAfter, withPhasePlanned } from '../../../billing/subscriptions/phases.ts';
import { heldTerms, type Plan, type Subscription } from '../../../billing/subscriptions/subscription.ts';
import { conflict, contradiction, invalid, notFound } from '../../../core/domain-error.ts';
import type { Instant, LocalDate } from '../../../core/instants.ts';
import { findPlan, findPlanIn, loadPlan } from '../../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../../sql/postgres/postgres.ts';
import { replacePhases, updateVersion } from '../../../sql/postgres/subscriptions/planned-changes.ts';
import { updateSubscription } from '../../../sql/postgres/subscriptions/subscriptions.ts';
import { overridesOf } from '../../../wire/catalog/overrides.ts';
import type { PhaseInput } from '../../../wire/subscriptions/phases.ts';
import { agreedPlan, storeAgreed } from '../../catalog/agree-version.ts';
import { newPriceId } from '../../catalog/plan-parts.ts';

/** What phases are agreed on after: the plan version of now, and the customer's today and time. */
type Before = { plan: Plan; today: LocalDate; at: Instant };

/**
 * What phases come to, one after another: the plan version of each, which is stored where it is agreed on (spec/subscriptions#phases).
 * @throws DomainError `invalid` for a date that is not after today, and for what makes no valid plan; `not_found` for an unknown plan,
 * `contradiction` for one that is not offered in the currency, `conflict` for an archived one.
 */
export async function agreePhases(
  tx: Transaction,
  accountId: string,
  sent: readonly PhaseInput[],
  { plan: first, today, at }: Before,
): Promise<Phase[]> {
  const early = [...sent.entries()].filter(([, { start_date }]) => start_date <= today);
  if (early.length > 0) {
    throw invalid(
      Object.fromEntries(early.map(([i]) => [`phases.${i}.start_date`, [`Must be after today, ${today}.`]])),
    );
  }
  const phases: Phase[] = [];
  let before = first;
  for (const [i, phase] of sent.entries()) {
    const { plan, agreed } = await agreePhase(tx, accountId, phase, { before, at, path: `phases.${i}` });
    phases.push(agreed);
    before = plan;
  }
  return phases;
}

async function agreePhase(
  tx: Transaction,
  accountId: string,
  sentPhase: PhaseInput,
  { before, at, path }: { before: Plan; at: Instant; path: string },
): Promise<{ plan: Plan; agreed: Phase }> {
  const { start_date: startDate, plan_id: planId = null, version = null, overrides: sentOverrides } = sentPhase;
  const isSame = planId === null || planId === before.planId;
  const kept = isSame ? (before.agreement?.basedOn.version ?? before.version) : null;
  const wanted = { planId: planId ?? before.planId, version: version ?? kept, currency: before.currency };
  const offered = await findPlanIn(tx, accountId, wanted);
  if (!offered) {
    const latest = await findPlan(tx, accountId, wanted.planId);
    if (!latest) throw notFound(`plan ${wanted.planId}`);
    throw invalid({ [`${path}.version`]: [`The plan's versions are 1 to ${latest.version}.`] });
  }
  if (offered.currency !== before.currency) {
    throw contradiction(`Plan ${wanted.planId} is in ${offered.currency}, the subscription in ${before.currency}.`);
  }
  if (!isSame && offered.status === 'archived') {
    throw conflict(`Plan ${wanted.planId} is archived and takes no new subscriptions.`);
  }
  if (isSame && offered.chargeTiming !== before.chargeTiming) {
    throw invalid({ [`${path}.version`]: [`Must be charged ${before.chargeTiming}, as the one before it.`] });
  }
  const overrides = sentOverrides ? overridesOf(sentOverrides, newPriceId) : null;
  const agreed = overrides && (await agreedPlan(tx, accountId, offered, overrides, `${path}.overrides`));
  const plan = agreed ? await storeAgreed(tx, accountId, agreed, at) : offered;
  const isLatest = !isSame && version === null && overrides === null;
  const sent = { planId, version, overrides };
  return { plan, agreed: { startDate, planId: plan.planId, version: isLatest ? null : plan.version, sent } };
}

/** Keeps the phases of a subscription, of which the next is planned as a switch where it is one of the current period; answers that. */
export async function savePhases(
  tx: Transaction,
  accountId: string,
  subscription: Subscription,
  timeZone: string,
): Promise<Subscription> {
  const planned = withPhasePlanned(subscription, timeZone);
  await replacePhases(tx, accountId, planned.subscriptionId, planned.phases);
  if (planned.plannedSwitch !== subscription.plannedSwitch) await updateSubscription(tx, accountId, planned);
  return planned;
}

/** The subscription in the billing period with which a phase of the same plan begins. */
export async function enterPhase(
  tx: Transaction,
  accountId: string,
  old: Subscription,
  { version, ...currentPeriod }: Period,
): Promise<Subscription> {
  if (version === undefined) return { ...old, currentPeriod };
  const { subscriptionId, planId, version: versionBefore } = old;
  await updateVersion(tx, accountId, subscriptionId, { version, versionBefore, periodIndex: currentPeriod.index });
  const begun = phaseBegunBy(old, currentPeriod.startDate);
  const plan = await loadPlan(tx, accountId, { planId, version });
  return { ...old, ...heldTerms(plan), currentPeriod, phases: begun ? phasesAfter(old.phases, begun) : old.phases };
}

/** Phases behind one that is a switch go on with what that begins; any other switch drops them. */
export async function movePhases(
  tx: Transaction,
  accountId: string,
  old: Subscription,
  next: Subscription,
  timeZone: string,
): Promise<Subscription> {
  await replacePhases(tx, accountId, old.subscriptionId, []);
  return next.phases.length > 0 ? savePhases(tx, accountId, next, timeZone) : next;
}
