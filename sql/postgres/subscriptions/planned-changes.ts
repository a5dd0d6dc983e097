import type { VersionBegun } from '../../../billing/change-set.ts';
import type { Phase, SentPhase } from '../../../billing/subscriptions/agreement.ts';
import type {
  CancelTerms,
  LifeEnd,
  PlannedCancel,
  PlannedSwitch,
} from '../../../billing/subscriptions/subscription.ts';
import type { Decimal } from '../../../core/decimal.ts';
import type { Instant, LocalDate } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { overridesFromStored, overridesToStored, type StoredOverrides } from '../catalog/agreed-versions.ts';
import type { Transaction } from '../postgres.ts';

/** Numbers in JSON come as decimals. */
export type PhaseRow = {
  start_date: LocalDate;
  plan_id: string;
  version: Decimal | null;
  sent: { planId: string | null; version: Decimal | null; overrides: StoredOverrides | null };
};

export type CancelTermsRow = {
  flat_fee_behavior: CancelTerms['flatFeeBehavior'];
  bill_usage: boolean;
  invoicing_behavior: CancelTerms['invoicingBehavior'];
};

export type PendingChangeRow = {
  new_plan_id: string;
  effective_date: LocalDate;
  invoicing_behavior: PlannedSwitch['invoicingBehavior'];
  usage_behavior: PlannedSwitch['usageBehavior'];
  agreed?: { version: Decimal; overrides: StoredOverrides | null };
  phase?: PhaseRow['sent'];
};

/** What a row of a subscription says of its end, and of what is planned. */
export type PlannedRow = {
  subscription_id: string;
  cancel_at: Instant | null;
  cancel_terms: CancelTermsRow | null;
  canceled_at: Instant | null;
  cancel_reason: LifeEnd['reason'] | null;
  switch_at: Instant | null;
  pending_change: PendingChangeRow | null;
};

/** The phases of a subscription `s` that are still to come, as JSON; null for none. */
export const PHASES = `(SELECT jsonb_agg(jsonb_build_object('start_date', f.start_date, 'plan_id', f.plan_id, 'version', f.version,
    'sent', f.sent) ORDER BY f.start_date)
  FROM subscription_phases f WHERE f.account_id = s.account_id AND f.subscription_id = s.subscription_id)`;

export function phaseFromRow({ start_date, plan_id, version, sent }: PhaseRow): Phase {
  return {
    startDate: start_date,
    planId: plan_id,
    version: version?.toNumber() ?? null,
    sent: sentFromRow(sent),
  };
}

export function sentFromRow({ planId, version, overrides }: PhaseRow['sent']): SentPhase {
  return { planId, version: version?.toNumber() ?? null, overrides: overrides && overridesFromStored(overrides) };
}

function sentToRow({ overrides, ...sent }: SentPhase) {
  return { ...sent, overrides: overrides && overridesToStored(overrides) };
}

/** Stores the phases of a subscription that are still to come, in the place of those before. */
export async function replacePhases(
  tx: Transaction,
  accountId: string,
  { subscriptionId, phases }: { subscriptionId: string; phases: readonly Phase[] },
): Promise<void> {
  await tx.query('DELETE FROM subscription_phases WHERE account_id = $1 AND subscription_id = $2', [
    accountId,
    subscriptionId,
  ]);
  if (phases.length === 0) return;
  await tx.query(
    `INSERT INTO subscription_phases (account_id, subscription_id, start_date, plan_id, version, sent)
     SELECT $1, $2, * FROM unnest($3::date[], $4::text[], $5::int[], $6::jsonb[])`,
    [
      accountId,
      subscriptionId,
      phases.map(({ startDate }) => startDate),
      phases.map(({ planId }) => planId),
      phases.map(({ version }) => version),
      phases.map(({ sent }) => stringifyExactJson(sentToRow(sent))),
    ],
  );
}

/** Stores that a phase of the same plan has begun. The periods before it keep the version that they had. */
export async function updateVersion(
  tx: Transaction,
  accountId: string,
  { subscriptionId, version, versionBefore, periodIndex }: VersionBegun,
): Promise<void> {
  await tx.query(
    `UPDATE periods SET version = $4
     WHERE account_id = $1 AND subscription_id = $2 AND period_index < $3 AND version IS NULL`,
    [accountId, subscriptionId, periodIndex, versionBefore],
  );
  await tx.query('UPDATE subscriptions SET version = $3 WHERE account_id = $1 AND subscription_id = $2', [
    accountId,
    subscriptionId,
    version,
  ]);
}

export function cancelTermsToRow({ flatFeeBehavior, billUsage, invoicingBehavior }: CancelTerms): CancelTermsRow {
  return { flat_fee_behavior: flatFeeBehavior, bill_usage: billUsage, invoicing_behavior: invoicingBehavior };
}

/** The table's columns of one planned cancel are all there or none is; so with the switch. */
export function plannedCancelFromRow({ subscription_id, cancel_at: at, cancel_terms: terms }: PlannedRow) {
  if (at === null && terms === null) return null;
  if (at === null || terms === null) throw new Error(`subscription ${subscription_id} has half a planned cancel`);
  const { flat_fee_behavior: flatFeeBehavior, bill_usage: billUsage, invoicing_behavior: invoicingBehavior } = terms;
  return { at, flatFeeBehavior, billUsage, invoicingBehavior } satisfies PlannedCancel;
}

export function plannedSwitchFromRow({ subscription_id, switch_at: at, pending_change: change }: PlannedRow) {
  if (at === null && change === null) return null;
  if (at === null || change === null) throw new Error(`subscription ${subscription_id} has half a planned switch`);
  const { new_plan_id: newPlanId, effective_date: effectiveDate } = change;
  const { invoicing_behavior: invoicingBehavior, usage_behavior: usageBehavior } = change;
  const { version, overrides = null } = change.agreed ?? {};
  const agreed = version && { version: version.toNumber(), overrides: overrides && overridesFromStored(overrides) };
  return {
    at,
    newPlanId,
    effectiveDate,
    invoicingBehavior,
    usageBehavior,
    ...(agreed && { agreed }),
    ...(change.phase && { phase: sentFromRow(change.phase) }),
  } satisfies PlannedSwitch;
}

export function endFromRow({ subscription_id, canceled_at: at, cancel_reason: reason }: PlannedRow): LifeEnd | null {
  if (at === null && reason === null) return null;
  if (at === null || reason === null) throw new Error(`subscription ${subscription_id} has half an end`);
  return { at, reason };
}

export function pendingChangeToRow({ newPlanId, effectiveDate, agreed, phase, ...behavior }: PlannedSwitch): string {
  const { invoicingBehavior: invoicing_behavior, usageBehavior: usage_behavior } = behavior;
  const row = { new_plan_id: newPlanId, effective_date: effectiveDate, invoicing_behavior, usage_behavior };
  const stored = agreed && { ...agreed, overrides: agreed.overrides && overridesToStored(agreed.overrides) };
  return stringifyExactJson({
    ...row,
    ...(stored && { agreed: stored }),
    ...(phase && { phase: sentToRow(phase) }),
  });
}
