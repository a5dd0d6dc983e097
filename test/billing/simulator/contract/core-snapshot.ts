import { type DraftPart, draftParts } from '../../../../billing/invoices/draft-parts.ts';
import { holdersOf } from '../../../../billing/periods/segments.ts';
import type { CustomerSnapshot } from '../../../../billing/snapshot/customer-snapshot.ts';
import { isLive } from '../../../../billing/subscriptions/states.ts';
import { ZERO } from '../../../../core/decimal.ts';
import type { Instant } from '../../../../core/instants.ts';
import { issuedInvoice } from '../../fixtures.ts';
import { ACCOUNT, CUSTOMER } from '../core-customer.ts';
import type { CoreContract } from './core-contract.ts';

/** What a customer's draft is made of at `at` of a contract, every question about usage answered. */
export function draftedParts(contract: CoreContract, at: Instant): DraftPart[] {
  contract.held.now = at;
  return [...draftParts(snapshotOf(contract, at))].flatMap(({ questions, by }) =>
    by(questions.map((question) => contract.held.answer(question))),
  );
}

/** As `loadCustomerSnapshot`; each invoice was paid by hand, unless it stays open until it is paid. */
function snapshotOf(
  { held, own, payer, wallet, pending, currency, discounts }: CoreContract,
  at: Instant,
): CustomerSnapshot {
  const period = held.currentPeriod();
  const customer = { ...CUSTOMER, currency, timeZone: held.timeZone };
  return {
    account: { ...ACCOUNT, lateUsage: held.billed.terms.lateUsage },
    customer: { ...customer, customerId: own.customerId, taxRate: own.taxRate },
    payer: { ...customer, customerId: payer.customerId, taxRate: payer.taxRate },
    at,
    subscriptions: isLive(held.subscription.status) ? [held.subscription] : [],
    pendingInvoices: [],
    credits: wallet.credits,
    discounts,
    pending: { seqs: [], lines: [...pending], counts: [] },
    rules: held.rules(wallet),
    watermarks: held.billed.watermarks(held.subscription.subscriptionId),
    billedLate: held.hasNews() ? held.billed.usage : [],
    chargedFeesOf: () => wallet.chargedFees(holdersOf(period.segments), period.billing, discounts),
    invoiceAtHand: (invoiceId) => {
      if (payer.records.staysOpen) return wallet.atHand(invoiceId);
      const nothing = { given: ZERO, applied: ZERO };
      return { invoice: issuedInvoice({ invoiceId, currency }), refunds: [], creditedBack: nothing, isInFlight: false };
    },
  };
}
