import type { Instant } from '../../core/instants.ts';
import type { Account } from '../accounts/account.ts';
import type { CollectedFee } from '../credits/charged-fee.ts';
import type { ApplicableCredit } from '../credits/credits.ts';
import type { InvoiceAtHand, PaidAhead } from '../credits/proration-credits.ts';
import type { ApplicableDiscount } from '../discounts/discounts.ts';
import type { PendingInvoice } from '../invoices/pending-invoice.ts';
import type { PendingItems } from '../invoices/pending-items.ts';
import type { BilledUsage } from '../metering/billed-usage.ts';
import type { InheritedWatermark } from '../metering/late-usage.ts';
import type { LateRecords } from '../settle/late-corrections.ts';
import type { Customer, Subscription } from '../subscriptions/subscription.ts';
import type { BillingRules } from './billing-rules.ts';

/**
 * Everything that decides what one customer is billed, except usage, as Postgres had it at one instant. Plain data: objects, arrays,
 * texts, numbers, bigints, booleans, null and `Decimal` (`core/plain-json.ts`).
 */
export type CustomerState = {
  account: Account;
  customer: Customer;
  /** Who is billed now: the customer, or the one that pays for it. */
  payer: Customer;
  /** The customer's time. */
  at: Instant;
  /** Those that live, oldest first. */
  subscriptions: readonly Subscription[];
  /** Those that have ended and left something for a later invoice (`billsAt`), oldest first. */
  billedLater: readonly Subscription[];
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
  /** The billed usage of the periods that have late usage. */
  billedLate: readonly BilledUsage[];
  /** What late usage is settled by; null if nothing came late. */
  lateRecords: LateRecords | null;
  /** The charges for the current period of each subscription that is planned to end or to be switched, by subscription. */
  chargedFees: Readonly<Record<string, readonly CollectedFee[]>>;
  /** The invoices that `chargedFees` names, by id. */
  invoicesAtHand: Readonly<Record<string, InvoiceAtHand>>;
};

/** The state at a planned change: charges in advance include those that the draft has made until then. */
export type Foreseen = Omit<CustomerState, 'chargedFees' | 'invoicesAtHand'> & PaidAhead;

/** Returns what the state knows of charges in advance. */
export function paidAheadOf({ payer, pending, chargedFees, invoicesAtHand }: CustomerState): PaidAhead {
  return {
    payer,
    pending,
    chargedFeesOf: (subscriptionId) => chargedFees[subscriptionId] ?? [],
    invoiceAtHand: (invoiceId) => {
      const found = invoicesAtHand[invoiceId];
      if (!found) throw new Error(`invoice ${invoiceId} was not read`);
      return found;
    },
  };
}
