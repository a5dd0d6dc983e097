import type { BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import type { OpeningInput } from '../../billing/invoices/opening-invoice.ts';
import { type Closure, closingBoundaries, openingInput } from '../../billing/subscriptions/closing-boundaries.ts';
import type { Customer, Subscription } from '../../billing/subscriptions/subscription.ts';
import { inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import { loadBillingRules } from '../state/load-billing-rules.ts';
import { loadPendingInvoices } from '../state/load-pending-invoices.ts';
import { answerUsage, type SharedUsageSource } from '../usage/answer-usage.ts';

/** Where a boundary's numbers come from. */
export type InvoiceSources = SharedUsageSource & { postgres: Pool };

/** What the closure of periods bills, by the records of now and usage up to `upTo`, the usage cutoff of the closing. */
export async function loadBoundaries(
  sources: InvoiceSources,
  accountId: string,
  customer: Customer,
  subscription: Subscription,
  closure: Closure,
  upTo: bigint,
): Promise<BoundaryInput[]> {
  const { customerId } = customer;
  const rules = await inTransaction(sources.postgres, accountId, async (tx) => {
    const pending = await loadPendingInvoices(tx, accountId, [customerId], [subscription]);
    return loadBillingRules(tx, accountId, [subscription], { pending });
  });
  const boundaries = closingBoundaries({ customer, subscription, closure }, rules);
  return answerUsage(sources, { accountId, customerId, upTo }, boundaries);
}

/** What the very start of a subscription bills by; usage is none of it (spec/subscriptions#invoices-on-schedule). */
export async function loadOpening(
  tx: Transaction,
  accountId: string,
  subscription: Subscription,
): Promise<OpeningInput> {
  return openingInput(subscription, await loadBillingRules(tx, accountId, [subscription]));
}
