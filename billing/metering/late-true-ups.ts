import { type Decimal, sum } from '../../core/decimal.ts';
import { lateLine } from '../invoices/invoice-lines.ts';
import type { LateCharge, LimitedAmount, TrueUpCharge } from '../pricing/charges.ts';
import { differenceToLimits, trueUpAmount } from '../pricing/limits.ts';

/** What late usage makes of a limited amount, and the charge that came last. */
type Changed = { limited: LimitedAmount; charged: Decimal; by: LateCharge };

/** What limits make of late usage, beside its lines (spec/rating#limits): a charge for each component and plan, of each period. */
export function lateTrueUps(late: readonly LateCharge[], places: number): TrueUpCharge[] {
  return changedAmounts(late, places).map(({ limited, charged, by }) => {
    const { subscriptionId, startsAt: periodStart, endsAt: periodEnd, metricId, name, limits } = limited;
    const { planId, version, chargedRate } = by;
    const truedUp = differenceToLimits(limited.charged, limits);
    const origin = { subscriptionId, planId, version, periodStart, periodEnd };
    return { ...origin, metricId, name, charged, truedUp, limits, isLate: true, ...(chargedRate && { chargedRate }) };
  });
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
    let difference = lateLine(charge, places).amount;
    for (const limited of all) {
      const key = `${limited.subscriptionId} ${limited.startsAt} ${limited.metricId}`;
      const before = changed.get(key)?.charged ?? limited.charged;
      const charged = before.plus(difference);
      changed.set(key, { limited, charged, by: charge });
      const { limits } = limited;
      difference = sum([difference, trueUpAmount({ charged, truedUp: differenceToLimits(before, limits), limits })]);
    }
  }
  return [...changed.values()];
}
