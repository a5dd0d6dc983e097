import type { OwnTerms } from '../billing/billing-rules.ts';
import type { BoundaryInput } from '../billing/boundary-charges.ts';
import { type Closure, closingBoundaries, openingInput } from '../billing/closing-boundaries.ts';
import type { OpeningInput } from '../billing/opening-invoice.ts';
import type { Customer, Subscription } from '../billing/subscription.ts';
import { listChargeableAddons } from './addon-subscriptions.ts';
import { answerUsage } from './answer-usage.ts';
import { loadBillingRules } from './load-billing-rules.ts';
import type { UsageSource } from './metric-usage.ts';
import { inTransaction, type Pool, type Transaction } from './postgres.ts';
import { listOwnPrepaidUnits } from './prepaid-units.ts';

/** Where a boundary's numbers come from. */
export type InvoiceSources = UsageSource & { postgres: Pool };

/** What the closure of periods bills, by the records of now and usage up to `upTo`, the seal of the closing. */
export async function loadBoundaries(
  sources: InvoiceSources,
  accountId: string,
  customer: Customer,
  subscription: Subscription,
  closure: Closure,
  upTo: bigint,
): Promise<BoundaryInput[]> {
  const rules = await inTransaction(sources.postgres, accountId, (tx) =>
    loadBillingRules(tx, accountId, [subscription]),
  );
  const { customerId } = customer;
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

/** The subscription's prepaid units and add-ons as they are now: a closing reads them with the subscription locked. */
export async function loadOwnTerms(tx: Transaction, accountId: string, subscriptionId: string): Promise<OwnTerms> {
  return {
    prepaidUnits: await listOwnPrepaidUnits(tx, accountId, subscriptionId),
    addons: await listChargeableAddons(tx, accountId, subscriptionId),
  };
}
