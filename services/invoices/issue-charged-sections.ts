import type { NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { listWaitingSections } from '../../sql/postgres/invoices/invoice-sections.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { issueSectionsThere } from './issue-sections.ts';

/** Whose sections, and when in its time; those of the instant `but` go on waiting. */
type Charged = {
  accountId: string;
  customer: Pick<Customer, 'customerId' | 'billedTo'>;
  now: Instant;
  but?: Instant | null;
};

/**
 * Issues what waits for an invoice with a section that has charged what is about to be given back (`isOf` says so of a line), though the rest
 * of its instant is still to come (spec/invoices#sections): then it is given back of that invoice, as of any other. To be called before the
 * customer's credits are locked.
 */
export async function issueChargedSections(
  tx: Transaction,
  { accountId, customer, now, but }: Charged,
  isOf: (line: NewInvoiceLine) => boolean,
): Promise<void> {
  const { customerId, billedTo } = customer;
  const waiting = await listWaitingSections(tx, accountId, [customerId]);
  const charged = waiting.filter(({ lines }) => lines.some((line) => line.amount.gt(0) && isOf(line)));
  const instants = new Set(charged.map(({ dueAt }) => dueAt).filter((dueAt) => dueAt !== but));
  for (const dueAt of instants) {
    await issueSectionsThere(tx, { accountId, payerId: billedTo ?? customerId, dueAt }, now);
  }
}
