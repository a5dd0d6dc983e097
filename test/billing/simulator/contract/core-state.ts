import type { PlannedCredit } from '../../../../billing/credits/planned-credits.ts';
import { type DraftPart, draftParts } from '../../../../billing/invoices/draft-parts.ts';
import { holdersOf } from '../../../../billing/periods/segments.ts';
import type { CustomerState } from '../../../../billing/state/customer-state.ts';
import { isLive } from '../../../../billing/subscriptions/states.ts';
import { ZERO } from '../../../../core/decimal.ts';
import type { Instant } from '../../../../core/instants.ts';
import { issuedInvoice } from '../../fixtures.ts';
import { ACCOUNT, CUSTOMER } from '../core-customer.ts';
import type { CoreContract } from './core-contract.ts';

/** What a customer's draft is made of at `at` of a contract, every question about usage answered. */
export function draftedParts(contract: CoreContract, at: Instant, creditsLeft: PlannedCredit[] = []): DraftPart[] {
  contract.held.now = at;
  return [...draftParts(stateOf(contract, at), [], creditsLeft)].flatMap(({ questions, by }) =>
    by(questions.map((question) => contract.held.answer(question))),
  );
}

/** As `loadState`; each invoice was paid by hand, unless it stays open until it is paid. */
export function stateOf(
  { held, own, payer, wallet, pending, currency, discounts }: CoreContract,
  at: Instant,
): CustomerState {
  const period = held.currentPeriod();
  const fees = wallet.chargedFees(holdersOf(period.segments), period.billing, discounts);
  const nothing = { given: ZERO, applied: ZERO };
  const paid = { refunds: [], creditedBack: nothing, isInFlight: false };
  const atHand = (invoiceId: string) =>
    payer.records.staysOpen ? wallet.atHand(invoiceId) : { ...paid, invoice: issuedInvoice({ invoiceId, currency }) };
  const customer = { ...CUSTOMER, currency, timeZone: held.timeZone };
  return {
    account: { ...ACCOUNT, lateUsage: held.billed.terms.lateUsage },
    customer: { ...customer, customerId: own.customerId, taxRate: own.taxRate },
    payer: { ...customer, customerId: payer.customerId, taxRate: payer.taxRate },
    at,
    subscriptions: isLive(held.subscription.status) ? [held.subscription] : [],
    billedLater: held.subscription.billsAt === null ? [] : [held.subscription],
    pendingInvoices: [],
    credits: wallet.credits,
    discounts,
    pending: { seqs: [], lines: [...pending], counts: [] },
    rules: held.rules(wallet),
    watermarks: held.billed.watermarks(held.subscription.subscriptionId),
    billedLate: held.hasNews() ? held.billed.usage : [],
    lateRecords: null,
    chargedFees: { [held.subscription.subscriptionId]: fees },
    invoicesAtHand: Object.fromEntries(fees.map(({ invoiceId }) => [invoiceId, atHand(invoiceId)])),
  };
}
