import { type DraftPart, draftParts } from '../../../billing/invoices/draft-parts.ts';
import { holdersOf } from '../../../billing/periods/segments.ts';
import type { CustomerSnapshot } from '../../../billing/snapshot/customer-snapshot.ts';
import { ZERO } from '../../../core/decimal.ts';
import type { Instant } from '../../../core/instants.ts';
import { issuedInvoice } from '../fixtures.ts';
import type { CoreSwitchLife } from './core-switch-life.ts';
import { ZONE } from './core-switcher.ts';

/** What a customer's draft is made of at `at` of a life, every question about usage answered. */
export function draftedParts(life: CoreSwitchLife, at: Instant): DraftPart[] {
  return [...draftParts(snapshotOf(life, at))].flatMap(({ questions, by }) =>
    by(questions.map((question) => life.held.answer(question))),
  );
}

/** As `loadCustomerSnapshot`; no account waits for late usage here, and each invoice was paid by hand. */
function snapshotOf({ held, wallet, pending, taxRate }: CoreSwitchLife, at: Instant): CustomerSnapshot {
  const period = held.currentPeriod();
  return {
    account: ACCOUNT,
    customer: { ...CUSTOMER, taxRate },
    at,
    subscriptions: [held.subscription],
    pendingInvoices: [],
    credits: wallet.credits,
    discounts: [],
    pending: { seqs: [], lines: [...pending], counts: [] },
    rules: held.rules(wallet),
    watermarks: [],
    billedLate: [],
    chargedFeesOf: () => wallet.chargedFees(holdersOf(period.segments), period),
    invoiceAtHand: (invoiceId) => {
      const nothing = { given: ZERO, applied: ZERO };
      return { invoice: issuedInvoice({ invoiceId }), refunds: [], creditedBack: nothing, isInFlight: false };
    },
  };
}

const ACCOUNT = {
  accountId: 'acct_1',
  name: 'Account',
  mode: 'test' as const,
  defaultCurrency: 'USD',
  netTermsDays: 0,
  invoiceGraceSeconds: 0,
  rateLimit: null,
  paymentRetryDays: [],
  lateUsage: 'next_invoice' as const,
};

const CUSTOMER = {
  customerId: 'c1',
  customerName: 'Customer one',
  email: 'c1@example.com',
  currency: 'USD',
  paymentProvider: null,
  paymentProviderId: null,
  hasPaymentMethod: false,
  hasDiscounts: false,
  timeZone: ZONE,
  billingAddress: null,
  testClockId: 'clock_1',
  clockTime: null,
  billedTo: null,
  isPayer: false,
  metadata: {},
  createdAt: 0,
};
