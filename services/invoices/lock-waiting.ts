import { payerIdOf } from '../../billing/accounts/payers.ts';
import type { NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import type { PendingItems } from '../../billing/invoices/pending-items.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { lockCredits } from '../../sql/postgres/credits/credits.ts';
import { listPendingItems } from '../../sql/postgres/invoices/pending-items.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { ChangedMeanwhile } from '../subscriptions/perform-call.ts';

/**
 * Keeps lines that wait (`isOf`) where they are until the transaction ends, once what invoices have charged was read behind them: an invoice
 * of another subscription of the customer may have taken them by then, and nothing keeps it from that. In the order in which an
 * invoice that takes what waits locks it; the invoices are locked before.
 * @throws ChangedMeanwhile where one has: what they are given back of is that invoice
 */
export async function lockWaiting(
  tx: Transaction,
  accountId: string,
  customer: Pick<Customer, 'customerId' | 'billedTo'>,
  { seqs, lines }: PendingItems,
  isOf: (line: NewInvoiceLine) => boolean,
): Promise<void> {
  const ours = lines.flatMap((line, i) => (isOf(line) ? [{ line, seq: seqs[i] ?? '' }] : []));
  if (ours.length === 0) return;
  const { customerId } = customer;
  await lockCredits(tx, accountId, [payerIdOf(customer)]);
  const waiting = new Set((await listPendingItems(tx, accountId, customerId, { lock: true })).seqs);
  const taken = ours.find(({ seq }) => !waiting.has(seq));
  if (taken) throw new ChangedMeanwhile(taken.line.subscriptionId ?? customerId);
}
