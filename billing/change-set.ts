import type { Decimal } from '../core/decimal.ts';
import type { Instant, LocalDate } from '../core/instants.ts';
import { plainFromJson, plainToJson } from '../core/plain-json.ts';
import type { AddonSubscription } from './catalog/addons.ts';
import type { NewCharges, NewReversal, ReversalsOf } from './charge-records.ts';
import type { Credit } from './credits/credits.ts';
import type { Refund } from './credits/refunds.ts';
import type { Discount } from './discounts/discounts.ts';
import type { ComputedSection } from './invoices/consolidated-invoice.ts';
import type { IssuedInvoice, NewInvoiceLine, Payment } from './invoices/invoice.ts';
import type { LedgerPosting } from './ledger/ledger.ts';
import type { BilledUsage } from './metering/billed-usage.ts';
import type { UsageWatermark } from './metering/late-usage.ts';
import type { ChargeCount } from './metering/line-counts.ts';
import type { PaymentAttempt } from './payments/collection.ts';
import type { Pause } from './periods/pauses.ts';
import type { Period, PeriodKey } from './periods/periods.ts';
import type { Boundary } from './periods/schedule.ts';
import type { CreditedPart } from './periods/segments.ts';
import type { SwitchedPeriod } from './periods/usage-windows.ts';
import type { AddonCharge, UsageCharge } from './pricing/charges.ts';
import type { HeldUsage } from './pricing/held-usage.ts';
import type { KeptAmount } from './state/billing-rules.ts';
import type { Phase } from './subscriptions/agreement.ts';
import type { PrepaidChoice } from './subscriptions/prepaid-changes.ts';
import type { Subscription } from './subscriptions/subscription.ts';

/**
 * Stands for the id of a record that a change set makes, until it is saved: `new:1`, `new:2`, counted by the decision. Invoices, their
 * lines and credits have one. Wherever a change set names an invoice, a line or a credit, it has the id or the local id.
 */
export type LocalId = `new:${number}`;

/** Returns a counter of the local ids of one change set. */
export function localIds(): () => LocalId {
  let count = 0;
  return () => {
    count += 1;
    return `new:${count}`;
  };
}

/** Returns whether an id is a {@link LocalId}. An id that a caller chose may look like one, and is never asked about. */
export function isLocalId(id: string): id is LocalId {
  return id.startsWith('new:');
}

/** Returns what stands for the number of an invoice in a text. The end of the invoice's transaction puts the number in its place. */
export function invoicePlaceholder(invoiceId: string): string {
  return `{invoice:${invoiceId}}`;
}

/**
 * All that one decision writes, as plain data: objects, arrays, texts, numbers, booleans, null and decimals, and bigints for positions of
 * the stream. What is left out is empty. `services/billing/save-changes.ts` writes it, and makes the JSON of events and audit entries.
 *
 * The description of a new credit, and of a line that it pays, names an invoice as `{invoice:<id>}` ({@link invoicePlaceholder}). Saving puts
 * the real id for a local one, and the end of the transaction the number for that.
 */
export type ChangeSet = {
  /** Periods that are closed because they are billed at once, or never. */
  periodsClosed?: readonly (PeriodKey & { closedAt: Instant })[];
  /** Periods that are over. Their invoices are pending. */
  periodsEnded?: readonly EndedPeriod[];
  /** Phases of the same plan that have begun. Periods before `periodIndex` keep the version that they had. */
  versionsBegun?: readonly VersionBegun[];
  /** Existing subscriptions as they are after the change. Their periods, phases and units change by members of their own. */
  subscriptionsChanged?: readonly Subscription[];
  subscriptionsAdded?: readonly Subscription[];
  periodsAdded?: readonly (Period & { subscriptionId: string })[];
  /** The phases of subscriptions that are still to come, in the place of those before. */
  phasesReplaced?: readonly { subscriptionId: string; phases: readonly Phase[] }[];
  /** What goes along to the subscriptions that switches begin. */
  successions?: readonly Succession[];
  /** What switches have left to the first periods of subscriptions. */
  periodsSwitched?: readonly { subscriptionId: string; switched: SwitchedPeriod }[];
  /** Trials that end on another day, or whose end has been announced. */
  trialsChanged?: readonly { subscriptionId: string; period: Period }[];
  pausesBegun?: readonly PauseBegun[];
  /** Subscriptions whose pause ends. `on` is the date of the instant in the current period. */
  pausesEnded?: readonly { subscriptionId: string; at: Instant; on: LocalDate }[];
  /** Subscriptions of which each period that ended in a pause is billed. */
  waitingPeriodsBilled?: readonly string[];
  /** Subscriptions that have ended in a pause, and when the periods that ended in that pause are invoiced. */
  waitingPeriodsDue?: readonly { subscriptionId: string; dueAt: Instant }[];
  /** Periods whose pending invoices are issued. */
  periodsInvoiced?: readonly PeriodKey[];
  /** Customers of whom nothing is invoiced any more: no pending invoice, no pending item of a canceled subscription and no section. */
  leftToInvoiceDropped?: readonly string[];
  /** Units that new subscriptions prepay by their own choice. */
  prepaidUnitsAdded?: readonly (PrepaidUnits & { subscriptionId: string })[];
  /** In the order in which they are numbered. */
  invoices?: readonly NewInvoice[];
  /** What is kept of the charges of invoices, and what their lines take back of these and of earlier ones. */
  charges?: readonly NewCharges[];
  /** Parts of charges that credits and refunds take back. */
  reversals?: readonly NewReversal[];
  /** Refunds that failed or were canceled, and void invoices: whatever they took back of charges stands again. */
  reversalsDropped?: readonly ReversalsOf[];
  /** Refunds that take the place of failed ones, and take back the same charges. */
  reversalsMoved?: readonly { from: string; to: string }[];
  /** Invoices whose place in the order of voids is kept. */
  termsVoided?: readonly string[];
  credits?: readonly NewCredit[];
  /** Existing credits as they are after the change. */
  creditsChanged?: readonly Credit[];
  creditApplications?: readonly NewCreditApplication[];
  /** Credits that change because an invoice that used them, or that they were given back from, is voided. */
  creditsRestored?: readonly CreditRestored[];
  /** Existing invoices as they are after the change. Their status, amounts and instants may differ, their lines never do. */
  invoicesChanged?: readonly IssuedInvoice[];
  payments?: readonly NewPaymentReceived[];
  attempts?: readonly PaymentAttempt[];
  /** Existing payment attempts as they are after the change. */
  attemptsChanged?: readonly PaymentAttempt[];
  /** Disputes about charges, by the reference that the processor knows a charge by. */
  disputesChanged?: readonly { provider: string; reference: string; status: string }[];
  refunds?: readonly Refund[];
  /** Existing refunds as they are after the change. */
  refundsChanged?: readonly Refund[];
  discountsAdded?: readonly Discount[];
  /** Discounts that lower no later invoice. */
  discountsRemoved?: readonly string[];
  /** The discounts that have lowered an invoice or section, each as often as it counts a period of its own. */
  discountsUsed?: readonly string[];
  /** The discounts that no longer count a period, each as often as it counted one. */
  discountsUncounted?: readonly string[];
  sections?: readonly NewSection[];
  /** Sections, by `seq`, that are on an invoice. */
  sectionsInvoiced?: readonly OnInvoice[];
  /** Pending invoice items, by `seq`, that are on an invoice. */
  pendingTaken?: readonly OnInvoice[];
  /** Pending invoice items, by `seq`, that a section has taken. */
  pendingDeleted?: readonly string[];
  /** Pending invoice items of which a part is credited. */
  pendingCredited?: readonly PendingItemCredited[];
  /** New pending invoice items. */
  pendingAdded?: readonly NewPendingItems[];
  /** Add-ons that are attached, and the period from which each is charged. */
  addonsAttached?: readonly (AddonSubscription & { periodIndex: number })[];
  /** Attached add-ons whose quantity changes, and canceled ones that are attached again. */
  addonsChanged?: readonly AddonSubscription[];
  /** Add-ons that are canceled; `periodIndex` is the last period that each is charged for. */
  addonsCanceled?: readonly { addonSubscriptionId: string; at: Instant; periodIndex: number }[];
  /** Charges of add-ons, which are not charged for the same period again. */
  addonsBilled?: readonly AddonCharge[];
  /** Periods whose pending invoice no longer charges the fee of the following period, because the end of that period has billed it. */
  nextFeesTaken?: readonly PeriodKey[];
  /** What switches have credited of the fee that the pending invoice of a period charges for the following period. */
  nextFeesCredited?: readonly (PeriodKey & { amount: Decimal })[];
  prepaidUnitsChanged?: readonly PrepaidUnitsChanged[];
  /** Billed usage, against which late usage is counted, and usage that is held because it has no price. */
  usageBilled?: readonly UsageCharge[];
  usageHeld?: readonly HeldUsage[];
  /** What limits count of closed periods. */
  limitedAmounts?: readonly KeptAmount[];
  watermarks?: readonly NewWatermark[];
  /** Watermarks up to whose new position late usage has been counted. */
  watermarksAdvanced?: readonly { subscriptionIds: readonly string[]; countedTo: bigint }[];
  /** Billed usage as it is after late usage has been counted. */
  usageRecounted?: readonly BilledUsage[];
  /** In the order of the ledger. */
  postings?: readonly NewPosting[];
  steps?: readonly PlannedStep[];
  stepsDone?: readonly StepDone[];
  /** The test clocks on which nothing falls due any more. */
  clocksEmptied?: readonly string[];
  /** In the order in which they are published. */
  events?: readonly NamedEvent[];
  /** Audit entries of changes that fall due. The caller writes the entries of a call. */
  audit?: readonly NamedAudit[];
};

/** An issued invoice, whose number comes as its transaction ends. */
export type NewInvoice = {
  invoice: Omit<IssuedInvoice, 'invoiceNumber'>;
  /** The period of its subscription that it is about. */
  periodIndex: number | null;
  /** The call that it is a proration of. */
  operationId: string | null;
  counts: readonly NewLineCount[];
};

/** What the usage on a line was counted from. */
export type NewLineCount = ChargeCount & { lineId: string };

/** A credit, with its customer's date, on which its expiry is judged. */
export type NewCredit = Credit & { customerToday: LocalDate };

/** What a credit gives to an invoice; `at` is in the customer's time. */
export type NewCreditApplication = { creditId: string; invoiceId: string; amount: Decimal; at: Instant };

/** A credit after the void of an invoice. Its applications to that invoice are reversed. `at` is in the customer's time. */
export type CreditRestored = {
  creditId: string;
  invoiceId: string;
  amountRemaining: Decimal;
  voidedAt: Instant | null;
  at: Instant;
};

/** Money received for an invoice; `at` is in the customer's time. */
export type NewPaymentReceived = { invoiceId: string; payment: Payment; at: Instant };

/** A section that waits for the invoice of its instant, and the period of its subscription that it is about. */
export type NewSection = ComputedSection & { counts: readonly ChargeCount[]; periodIndex: number; dueAt: Instant };

/** Rows that an invoice has taken. */
export type OnInvoice = { seqs: readonly string[]; invoiceId: string };

/** Lines that wait for the customer's next invoice, and what their usage was counted from. */
export type NewPendingItems = {
  owner: { customerId: string; subscriptionId: string };
  lines: readonly NewInvoiceLine[];
  counts: readonly ChargeCount[];
};

/**
 * A period that is over. `invoiceDueAt`: when its invoice is issued, or null if that is at the resume. `addons`: what that invoice charges
 * for add-ons, or null if that is decided at the resume.
 */
export type EndedPeriod = PeriodKey & {
  closedAt: Instant;
  invoiceDueAt: Instant | null;
  addons: readonly AddonCharge[] | null;
};

/** A phase of the same plan that has begun with a period. */
export type VersionBegun = { subscriptionId: string; version: number; versionBefore: number; periodIndex: number };

/** A pause that begins at an instant, whose date in the period is `pausedOn`. */
export type PauseBegun = Pick<Pause, 'pausedAt' | 'pausedOn'> & { subscriptionId: string; reason: string | null };

/** Units prepaid for a metric, each period (spec/prepaid-units#billing). */
export type PrepaidUnits = { metricId: string; units: Decimal };

/**
 * What goes along with a switch. The old subscription's `periodIndex`, and its billing period `billingIndex`, become the first of the new
 * one. `units` are prepaid by its own choice.
 */
export type Succession = {
  from: string;
  to: string;
  periodIndex: number;
  billingIndex: number;
  units: readonly PrepaidUnits[];
  hasDiscounts: boolean;
  copiesPauses: boolean;
};

/** A pending invoice item, and what is credited of it in all, without tax. */
export type PendingItemCredited = { seq: string; creditedBefore: Decimal };

/** Prepaid units from a period on, and the parts of earlier charges that the change credited, without tax. */
export type PrepaidUnitsChanged = PrepaidChoice & {
  subscriptionId: string;
  at: Instant;
  credited: readonly CreditedPart[];
};

/** Periods of a customer's subscription have been billed up to a position of the stream. */
export type NewWatermark = UsageWatermark & { customerId: string };

/** A posting of the ledger; `at` is in the customer's time. */
export type NewPosting = {
  subject: {
    customerId: string;
    currency: string;
    at: Instant;
    invoiceId?: string;
    creditId?: string;
    refundId?: string;
  };
  posting: LedgerPosting;
};

/** A step that falls due for an invoice, a subscription or the sections of an instant. `testClockId` is null in real time. */
export type PlannedStep = { testClockId: string | null; dueAt: Instant } & (
  | { kind: 'past_due' | 'collect'; invoiceId: string }
  | { kind: 'issue_sections'; payerId: string }
  | { kind: Boundary['kind']; subscriptionId: string }
);

/** A step that no longer waits, or whatever waits of a subscription. */
export type StepDone =
  | { kind: 'issue_sections'; payerId: string; dueAt: Instant }
  | { kind: 'past_due' | 'collect'; invoiceId: string }
  | { kind: 'subscription'; subscriptionId: string };

/** An event of the outbox, by the record that it is about: one that the change set makes or changes. */
export type NamedEvent =
  | { type: 'invoice.created' | 'invoice.paid' | 'invoice.voided' | 'invoice.collectable'; invoiceId: string }
  | { type: 'credit.created'; creditId: string }
  | { type: 'refund.created' | 'refund.succeeded'; refundId: string };

/** An entry of the audit log, by the record that it is about. */
export type NamedAudit = { action: 'invoice.created'; invoiceId: string };

/** Returns the JSON of a change set. */
export function changeSetToJson(changes: ChangeSet): string {
  return plainToJson(changes);
}

/** Returns the change set of a text that {@link changeSetToJson} wrote. */
export function changeSetFromJson(json: string): ChangeSet {
  return plainFromJson(json) as ChangeSet;
}
