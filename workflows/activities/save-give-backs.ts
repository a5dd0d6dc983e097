import type { BoundaryInput } from '../../billing/boundary-charges.ts';
import { type Ending, giveBacks, type Prorated } from '../../billing/cancel.ts';
import type { LoadedCarry } from '../../billing/carried-period.ts';
import { currencyOf } from '../../billing/currencies.ts';
import { sum, ZERO } from '../../billing/decimal.ts';
import type { Instant } from '../../billing/instants.ts';
import { emptyLine } from '../../billing/invoice-lines.ts';
import type { Period } from '../../billing/periods.ts';
import { creditedBySwitches } from '../../billing/switch.ts';
import { listChargedFees } from '../../sql/give-backs.ts';
import type { Transaction } from '../../sql/postgres.ts';
import { insertWaitingLines, listWaitingLines } from '../../sql/waiting-lines.ts';
import type { Held } from './move-subscription.ts';
import { saveGiveBack } from './save-give-back.ts';

/**
 * Gives back what was charged ahead for the period that a cancel or a switch ends, also by switches within it; before the
 * closing invoice (contract 9). What of that waits for an invoice is taken back by a line that waits beside it.
 */
export async function saveGiveBacks(
  tx: Transaction,
  { account: { accountId }, customer, subscription }: Held,
  { boundary: { plan, carried = null }, ending, now }: { boundary: BoundaryInput; ending: Ending; now: Instant },
): Promise<void> {
  if (plan.chargeTiming !== 'in_advance') return;
  const { subscriptionId, currentPeriod: period } = subscription;
  const { customerId, currency } = customer;
  const places = currencyOf(currency).exponent;
  const ids =
    carried && carried.stretches.length > 0 ? carried.stretches.map((one) => one.subscriptionId) : [subscriptionId];
  const charged = await listChargedFees(tx, accountId, ids, period);
  const prorated = await loadProrated(tx, { accountId, customerId, ids, period }, carried, places);
  const paid = { period, fee: plan.recurringFee, charged, prorated, places };
  const { given, waived } = giveBacks(paid, ending);
  for (const one of given) await saveGiveBack(tx, { accountId, customer, now }, one);
  if (waived.isZero()) return;
  const { planId, version } = plan;
  const back = {
    ...emptyLine('proration', `${plan.name}: switch charge not used`),
    ...{ subscriptionId, planId, version, periodStart: ending.at, periodEnd: period.endsAt },
    amount: waived.negated(),
  };
  await insertWaitingLines(tx, accountId, { customerId, subscriptionId }, [back], []);
}

type Paid = { accountId: string; customerId: string; ids: string[]; period: Period };

async function loadProrated(
  tx: Transaction,
  { accountId, customerId, ids, period }: Paid,
  carried: LoadedCarry | null,
  places: number,
): Promise<Prorated> {
  if (!carried || carried.stretches.length === 0) return { waiting: ZERO, credited: ZERO };
  const { lines } = await listWaitingLines(tx, accountId, customerId, { lock: false });
  const ours = lines.filter(
    ({ type, metricId, subscriptionId, periodEnd }) =>
      type === 'proration' && metricId === null && periodEnd === period.endsAt && ids.includes(subscriptionId ?? ''),
  );
  return {
    waiting: sum(ours.map(({ amount }) => amount)),
    credited: creditedBySwitches(carried.stretches, period, places),
  };
}
