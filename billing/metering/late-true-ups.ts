import { type Decimal, sum } from '../../core/decimal.ts';
import { latePrices } from '../invoices/invoice-lines.ts';
import { holdersOf, type SegmentedPeriod } from '../periods/segments.ts';
import type { LateCharge, LimitedAmount, TrueUpCharge } from '../pricing/charges.ts';
import { differenceToLimits, type LimitedSoFar, trueUpAmount } from '../pricing/limits.ts';

/** What late usage makes of a limited amount, and the charge that came last; `wasHeld`: all of them were. */
type Changed = { limited: LimitedAmount; charged: Decimal; by: LateCharge; wasHeld: boolean };

/**
 * What limits make of late usage, beside its lines (spec/rating#limits): a charge for each component and plan, of each period. The lines of what is settled have
 * what limits make of it already.
 */
export function lateTrueUps(late: readonly LateCharge[], places: number): TrueUpCharge[] {
  const [settled, others] = [late.filter((one) => one.settled), late.filter((one) => !one.settled)];
  const after = new Map(limitedAfter(settled, places).map((one) => [keyOf(one), one]));
  const behind = others.map((charge) => {
    const limited = charge.limited?.map((one) => after.get(keyOf(one)) ?? one);
    return limited ? { ...charge, limited } : charge;
  });
  return changedAmounts(behind, places).map(({ limited, charged, by, wasHeld }) => {
    const { startsAt: periodStart, endsAt: periodEnd, metricId, name, limits } = limited;
    const { subscriptionId, planId, version, chargedRate } = by;
    const truedUp = differenceToLimits(limited.charged, limits);
    const origin = { subscriptionId, planId, version, periodStart, periodEnd };
    const change = { ...origin, metricId, name, charged, truedUp, limits, isLate: true };
    return { ...change, ...(chargedRate && { chargedRate }), ...(wasHeld && { wasHeld }) };
  });
}

/**
 * Late usage of a billing period that goes on, or ends, with the invoice that bills it, also of a plan before a switch: the limits of its
 * last plan count it behind what else is on that invoice, as `trueUps` say.
 */
export function lateBehind<T extends LateCharge>(late: readonly T[], trueUps: readonly TrueUpCharge[]): T[] {
  return late.map((charge) => {
    const here = trueUps.find((of) => of.metricId === null && isOfPeriod(charge, of));
    if (!here) return charge;
    const ofComponent = charge.limited?.filter(({ metricId }) => metricId !== null) ?? [];
    return { ...charge, limited: [...ofComponent, limitedAmountOf(here)] };
  });
}

/** What late usage adds to billing periods that go on with the boundary that it is billed with, and what their plan's limits make of it. */
export function lateInPeriods(
  late: readonly LateCharge[],
  trueUps: readonly TrueUpCharge[],
  places: number,
): (LimitedSoFar & Pick<TrueUpCharge, 'subscriptionId' | 'periodStart'>)[] {
  const ofPlans = lateTrueUps(lateBehind(late, trueUps), places).filter(({ metricId }) => metricId === null);
  return trueUps.flatMap((own) => {
    const { subscriptionId, periodStart, charged } = own;
    const up = ofPlans.find((one) => one.periodStart === periodStart && isOfPeriod(one, own));
    if (own.metricId !== null || !up) return [];
    return { subscriptionId, periodStart, charged: up.charged.minus(charged), truedUp: trueUpAmount(up) };
  });
}

function isOfPeriod(
  { subscriptionId, periodEnd: endsAt }: Pick<LateCharge, 'subscriptionId' | 'periodEnd'>,
  { subscriptionId: own, holders = [own], periodStart, periodEnd }: TrueUpCharge,
): boolean {
  return holders.includes(subscriptionId) && periodStart < endsAt && endsAt <= periodEnd;
}

/** Whether the plan of late usage has limits that one of these true-ups counts. */
export function isBilledBehind(charge: LateCharge, trueUps: readonly TrueUpCharge[]): boolean {
  return trueUps.some((of) => of.metricId === null && isOfPeriod(charge, of));
}

/** Whether the plan of late usage has limits of a billing period that is still to be billed, in whole or in part, by the ends of these periods. */
export function isRunningIn(
  { limited = [], subscriptionId, periodEnd }: LateCharge,
  ended: readonly SegmentedPeriod[],
): boolean {
  if (!limited.some(({ metricId }) => metricId === null)) return false;
  return ended.some(({ segments, billing: { startsAt, endsAt } }) => {
    return holdersOf(segments).includes(subscriptionId) && startsAt < periodEnd && periodEnd <= endsAt;
  });
}

/** What is kept of it for late usage: of a plan as of the first that has had the billing period, whichever switches come. */
export function limitedAmountOf(trueUp: TrueUpCharge): LimitedAmount {
  const { subscriptionId, holders = [subscriptionId], periodStart: startsAt, periodEnd: endsAt } = trueUp;
  const { metricId, name, charged, limits } = trueUp;
  return { subscriptionId: holders[0] ?? subscriptionId, startsAt, endsAt, metricId, name, charged, limits };
}

/** What the limited parts of closed periods come to with late usage: a plan's with what its components' limits make of it. */
export function limitedAfter(late: readonly LateCharge[], places: number): LimitedAmount[] {
  return changedAmounts(late, places).map(({ limited, charged }) => ({ ...limited, charged }));
}

function changedAmounts(late: readonly LateCharge[], places: number): Changed[] {
  const changed = new Map<string, Changed>();
  for (const charge of late) {
    const { limited: all = [] } = charge;
    if (all.length === 0) continue;
    const [priceBefore, priceNow] = latePrices(charge, places);
    let difference = priceNow.minus(priceBefore);
    for (const limited of all) {
      const key = keyOf(limited);
      const earlier = changed.get(key);
      const before = earlier?.charged ?? limited.charged;
      const charged = before.plus(difference);
      const wasHeld = charge.wasHeld === true && (earlier?.wasHeld ?? true);
      changed.set(key, { limited, charged, by: charge, wasHeld });
      const { limits } = limited;
      difference = sum([difference, trueUpAmount({ charged, truedUp: differenceToLimits(before, limits), limits })]);
    }
  }
  return [...changed.values()];
}

function keyOf({ subscriptionId, startsAt, metricId }: LimitedAmount): string {
  return `${subscriptionId} ${startsAt} ${metricId}`;
}
