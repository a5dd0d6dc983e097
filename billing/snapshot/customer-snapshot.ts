import type { Instant } from '../../core/instants.ts';
import type { Account } from '../accounts/account.ts';
import type { ApplicableCredit } from '../credits/credits.ts';
import type { PaidAhead } from '../credits/proration-credits.ts';
import type { ApplicableDiscount } from '../discounts/discounts.ts';
import type { PendingInvoice } from '../invoices/pending-invoice.ts';
import type { PendingItems } from '../invoices/pending-items.ts';
import type { BilledUsage } from '../metering/billed-usage.ts';
import type { InheritedWatermark } from '../metering/late-usage.ts';
import type { Customer, Subscription } from '../subscriptions/subscription.ts';
import type { BillingRules } from './billing-rules.ts';

/** All that decides what one customer is billed, but for usage, as Postgres had it at one instant. */
export type CustomerSnapshot = PaidAhead & {
  account: Account;
  customer: Customer;
  payer: Customer;
  /** The customer's time. */
  at: Instant;
  /** Those that live, oldest first. */
  subscriptions: readonly Subscription[];
  /** Of periods that are over, also of subscriptions that have ended, in the order in which they fall due. */
  pendingInvoices: readonly PendingInvoice[];
  /** Oldest first; with something left. */
  credits: readonly ApplicableCredit[];
  /** In order of redemption; active ones. */
  discounts: readonly ApplicableDiscount[];
  /** What waits for the customer's next invoice. */
  pending: PendingItems;
  /** Of the live subscriptions, of the plans they are to be switched to, and of what came late. */
  rules: BillingRules;
  watermarks: readonly InheritedWatermark[];
  /** What the periods for which something came late have been billed for. */
  billedLate: readonly BilledUsage[];
};
