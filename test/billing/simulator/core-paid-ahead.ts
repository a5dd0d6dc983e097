import type { NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import { holdersOf, type SegmentedPeriod, switchesIn } from '../../../billing/periods/segments.ts';
import { creditedBySwitches } from '../../../billing/subscriptions/switch.ts';
import { sum, ZERO } from '../../../core/decimal.ts';
import type { CoreWallet } from './core-wallet.ts';

const PLACES = 2;

/** As `listChargedFees` and `loadProrated`: what was charged for a period ahead, and by switches within it. */
export function paidAhead(
  { wallet, pending }: { wallet: CoreWallet; pending: readonly NewInvoiceLine[] },
  period: SegmentedPeriod,
) {
  const ids = holdersOf(period.segments);
  const ours = pending.filter(
    ({ type, metricId, subscriptionId: id, periodEnd }) =>
      type === 'proration' && metricId === null && periodEnd === period.endsAt && ids.includes(id ?? ''),
  );
  const prorated = {
    pending: switchesIn(period.segments).length > 0 ? sum(ours.map(({ amount }) => amount)) : ZERO,
    credited: creditedBySwitches(period, PLACES),
  };
  return { charged: wallet.chargedFees(ids, period), prorated };
}
