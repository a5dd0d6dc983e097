import { currencyOf } from '../../core/currencies.ts';
import type { Instant } from '../../core/instants.ts';
import type { Account } from '../accounts/account.ts';
import type { ChangeSet } from '../change-set.ts';
import type { SwitchCharge } from '../credits/charged-fee.ts';
import type { BoundaryCharges, BoundaryInput } from '../invoices/boundary-charges.ts';
import { chargesInTurn } from '../invoices/charges-in-turn.ts';
import { billedLate } from '../invoices/pending-items.ts';
import { lateBehind, limitedAfter, limitedAmountOf } from '../metering/late-true-ups.ts';
import type { CountedLate } from '../metering/late-usage.ts';
import type { Period } from '../periods/periods.ts';
import { holdersOf, switchesIn } from '../periods/segments.ts';
import { type LimitedLines, limitedSoFar, NONE_SO_FAR } from '../pricing/limits.ts';
import { type BillingRules, type KeptAmount, limitedKey, termsOf } from '../state/billing-rules.ts';
import type { Customer } from '../subscriptions/subscription.ts';

/**
 * The records by which boundaries of one customer are charged. `terms` are the add-ons and prepaid units of now, `limitedLines` the lines of
 * invoices so far, `switchCharges` the charges of switches within the periods. Usage counts up to `usageCutoff`.
 */
export type ChargeInput = Pick<BillingRules, 'terms'> & {
  account: Pick<Account, 'lateUsage'>;
  customer: Pick<Customer, 'customerId' | 'currency'>;
  limitedLines: readonly LimitedLines[];
  switchCharges: readonly SwitchCharge[];
  usageCutoff: bigint;
};

type Charged = { boundary: BoundaryInput; charges: BoundaryCharges };

/**
 * Decides what boundaries charge, one after another. The change set records the charges, so that they are billed once and late usage can
 * be recognized. `late` is the late usage on the same invoices.
 */
export function decideCharges(
  input: ChargeInput,
  boundaries: readonly BoundaryInput[],
  late: readonly CountedLate[],
): { charges: BoundaryCharges[]; changes: ChangeSet } {
  const { charge } = chargesInTurn();
  const chargesOf = Map.groupBy(input.switchCharges, ({ subscriptionId }) => subscriptionId);
  const charged = boundaries.map((boundary): Charged => {
    const { subscriptionId, ended } = boundary;
    const switches = switchesIn(ended?.segments ?? []);
    const switchCharges = switches.flatMap((one) => chargesOf.get(one.subscriptionId) ?? []);
    const before = ended && limitedSoFar(input.limitedLines, holdersOf(ended.segments), ended);
    const terms = { ...termsOf(input, subscriptionId), switchCharges, limitedSoFar: before ?? NONE_SO_FAR };
    return { boundary, charges: charge({ ...boundary, ...terms }) };
  });
  return { charges: charged.map(({ charges }) => charges), changes: keptOf(input, charged, late) };
}

function keptOf(input: ChargeInput, charged: readonly Charged[], late: readonly CountedLate[]): ChangeSet {
  const { customerId } = input.customer;
  const kept = charged.map((one) => ({ ...one, ...spanOf(one) })).filter(({ startsAt, endsAt }) => startsAt < endsAt);
  return {
    addonsBilled: charged.flatMap(({ boundary, charges }) => (boundary.fixedAddons ? [] : charges.addons)),
    nextFeesTaken: charged.flatMap(({ boundary }) => boundary.pendingOpening ?? []),
    usageBilled: kept.flatMap(({ charges }) => charges.usages),
    usageHeld: kept.flatMap(({ charges }) => charges.held ?? []),
    limitedAmounts: limitedOf(input, kept, late),
    watermarks: kept.map(({ boundary: { subscriptionId }, startsAt, endsAt }) => {
      return { customerId, subscriptionId, countedTo: input.usageCutoff, startsAt, endsAt };
    }),
  };
}

/** Returns the limited amounts of the periods that end, including late usage for them on the same invoices. */
function limitedOf(
  { account, customer }: Pick<ChargeInput, 'account' | 'customer'>,
  kept: readonly Charged[],
  late: readonly CountedLate[],
): KeptAmount[] {
  const limited = kept.flatMap(({ boundary: { ended }, charges }) =>
    charges.trueUps.filter(({ periodStart }) => ended !== null && periodStart < ended.endsAt).map(limitedAmountOf),
  );
  const trueUps = kept.flatMap(({ charges }) => charges.trueUps);
  const after = limitedAfter(lateBehind(billedLate(late, account), trueUps), currencyOf(customer.currency).exponent);
  const keys = new Set(limited.map(limitedKey));
  const withLate = after.filter((one) => keys.has(limitedKey(one)));
  const replaced = new Set(withLate.map(limitedKey));
  return [...limited.filter((one) => !replaced.has(limitedKey(one))), ...withLate];
}

/** Returns the time for which a boundary bills usage. Usage that a switch carried over may be older than the period. */
function spanOf({ boundary, charges: { usages } }: Charged): { startsAt: Instant; endsAt: Instant } {
  const period = endedBy(boundary);
  return {
    startsAt: Math.min(period.startsAt, ...usages.map(({ periodStart, group }) => group?.windowStart ?? periodStart)),
    endsAt: boundary.ending?.at ?? period.endsAt,
  };
}

/** Returns the period that a boundary ends. @throws Error for the start of a subscription, which ends none */
export function endedBy({ ended }: BoundaryInput): Period {
  if (ended === null) throw new Error('a boundary that ends no period is billed by an opening invoice');
  return ended;
}
