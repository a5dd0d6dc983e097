import type { NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import type { LoadedCarry } from '../../../billing/periods/carried-period.ts';
import type { Period } from '../../../billing/periods/periods.ts';
import { creditedBySwitches } from '../../../billing/subscriptions/switch.ts';
import { sum, ZERO } from '../../../core/decimal.ts';
import type { CoreWallet } from './core-wallet.ts';

const PLACES = 2;

/** As `listChargedFees` and `loadProrated`: what was charged for a period ahead, and by switches within it. */
export function paidAhead(
  { wallet, pending }: { wallet: CoreWallet; pending: readonly NewInvoiceLine[] },
  subscriptionId: string,
  period: Period,
  stretches: LoadedCarry['stretches'],
) {
  const ids = stretches.length > 0 ? stretches.map((one) => one.subscriptionId) : [subscriptionId];
  const ours = pending.filter(
    ({ type, metricId, subscriptionId: id, periodEnd }) =>
      type === 'proration' && metricId === null && periodEnd === period.endsAt && ids.includes(id ?? ''),
  );
  const prorated = {
    pending: stretches.length > 0 ? sum(ours.map(({ amount }) => amount)) : ZERO,
    credited: creditedBySwitches(stretches, period, PLACES),
  };
  return { charged: wallet.chargedFees(ids, period), prorated };
}
