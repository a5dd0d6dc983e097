import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Credit, creditStatus, creditsAfter, updateCredit, voidCredit } from '../../../billing/credits/credits.ts';
import { planRefund, type Refund, refundableAmount, settleByHand } from '../../../billing/credits/refunds.ts';
import { computeInvoice } from '../../../billing/invoices/compute-invoice.ts';
import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import { payInvoice } from '../../../billing/invoices/pay-invoice.ts';
import { voidInvoice } from '../../../billing/invoices/void-invoice.ts';
import {
  type LedgerAccount,
  type LedgerPosting,
  postCreditApplied,
  postCreditGranted,
  postCreditVoided,
  postInvoiceIssued,
  postOverpaymentCredited,
  postPaymentReceived,
  postRefundCredited,
  postRefundPaid,
} from '../../../billing/ledger/ledger.ts';
import { nextInvoiceStatus } from '../../../billing/subscriptions/states.ts';
import { type Decimal, decimal, sum, toPlain, ZERO } from '../../../core/decimal.ts';
import { DomainError } from '../../../core/domain-error.ts';
import { addDays } from '../../../core/instants.ts';
import { howMany } from '../../how-many.ts';
import { issuedInvoice } from '../fixtures.ts';

/**
 * One customer's money through a random history of invoices, credits, voids, payments and refunds, made of the rules of
 * billing/ as the operations put them together. After every step, refused or not, the records must hold.
 */
class Records {
  day = 0;
  invoices: (IssuedInvoice & { uses: { creditId: string; amount: Decimal }[] })[] = [];
  credits: Credit[] = [];
  refunds: Refund[] = [];
  postings: LedgerPosting[] = [];

  get today() {
    return addDays('2026-01-01', this.day);
  }

  post(...postings: LedgerPosting[]) {
    this.postings.push(...postings);
  }

  balance(account: LedgerAccount): string {
    const entries = this.postings.flatMap(({ entries: of }) => of);
    return toPlain(sum(entries.filter((entry) => entry.ledgerAccount === account).map(({ amount }) => amount)));
  }

  grant(amount: Decimal, expiresInDays: number | null, posting = postCreditGranted(amount)) {
    const creditId = `credit_${this.credits.length}`;
    this.credits.push({
      creditId,
      customerId: 'c1',
      amount,
      amountRemaining: amount,
      currency: 'USD',
      reason: 'service_credit',
      description: null,
      expiresAt: expiresInDays === null ? null : addDays(this.today, expiresInDays),
      voidedAt: null,
      createdAt: this.day,
      applications: [],
    });
    this.post(posting);
    return creditId;
  }

  issue(amount: Decimal, taxRate: Decimal) {
    const pending = [{ ...emptyLine('proration', 'Something'), amount }];
    const computed = computeInvoice({
      kind: 'proration',
      currency: 'USD',
      taxRate,
      periodStart: null,
      periodEnd: null,
      fees: [],
      prepaid: [],
      usages: [],
      pending,
      credits: this.credits,
      today: this.today,
    });
    this.credits = creditsAfter(this.credits, computed.applications);
    const uses = computed.applications.map(({ credit, amount: used }) => ({ creditId: credit.creditId, amount: used }));
    const { subtotal, taxAmount, total, creditsApplied, amountDue, status } = computed;
    const amounts = { subtotal, taxAmount, total, creditsApplied, amountDue, status };
    this.invoices.push({ ...issuedInvoice({ invoiceId: `inv_${this.invoices.length}`, ...amounts }), uses });
    this.post(postInvoiceIssued(computed), ...uses.map((use) => postCreditApplied(use.amount)));
    if (computed.overpayment.gt(0)) {
      this.grant(computed.overpayment, null, postOverpaymentCredited(computed.overpayment));
    }
  }

  void(i: number) {
    const before = this.invoice(i);
    const uses = before.uses.map(({ creditId, amount }) => ({ credit: this.credit(creditId), amount, given: null }));
    const { invoice, restorations, posting } = voidInvoice(before, uses, { at: this.day, inFlight: false });
    this.replace(invoice);
    this.post(posting, ...restorations.flatMap(({ postings }) => postings));
    this.credits = this.credits.map((credit) => {
      const amountRemaining = restorations.find((one) => one.creditId === credit.creditId)?.amountRemaining;
      return amountRemaining ? { ...credit, amountRemaining } : credit;
    });
  }

  pay(i: number) {
    const before = this.invoice(i);
    const { invoice, payment } = payInvoice(before, { method: 'manual', reference: null, paidAt: this.day });
    this.replace({ ...before, ...invoice, invoiceId: before.invoiceId, invoiceNumber: before.invoiceNumber });
    this.post(postPaymentReceived(payment.amount));
  }

  giveUp(i: number) {
    const invoice = this.invoice(i);
    this.replace({ ...invoice, status: nextInvoiceStatus(invoice.status, 'mark_uncollectible') });
  }

  refund(i: number, amount: Decimal | undefined, method: 'bank_transfer' | 'store_credit') {
    const invoice = likely(this.invoices, i, ({ amountPaid }) => amountPaid.gt(0));
    const earlier = this.refunds.filter(({ invoiceId }) => invoiceId === invoice.invoiceId);
    const request = { amount, method, reason: null, description: null };
    const planned = planRefund(invoice, earlier, request, { at: this.day, today: this.today });
    const credited = planned.method === 'store_credit';
    const creditId = credited ? this.grant(planned.amount, null, postRefundCredited(planned.amount)) : null;
    this.refunds.push({ ...planned, refundId: `refund_${this.refunds.length}`, creditId });
    if (credited) this.replace({ ...invoice, amountRefunded: invoice.amountRefunded.plus(planned.amount) });
  }

  settle(r: number, trigger: 'complete' | 'cancel') {
    const refund = settleByHand(likely(this.refunds, r, isPending), trigger, this.day);
    this.refunds = this.refunds.map((one) => (one.refundId === refund.refundId ? refund : one));
    if (refund.status !== 'succeeded') return;
    this.post(postRefundPaid(refund.amount));
    const invoice = this.invoices.find(({ invoiceId }) => invoiceId === refund.invoiceId) ?? missing();
    this.replace({ ...invoice, amountRefunded: invoice.amountRefunded.plus(refund.amount) });
  }

  changeCredit(k: number, change: (credit: Credit) => Credit) {
    const before = likely(this.credits, k, (credit) => creditStatus(credit, this.today) === 'active');
    const after = change(before);
    this.credits = this.credits.map((one) => (one.creditId === after.creditId ? after : one));
    this.post(postCreditVoided(before.amountRemaining.minus(after.amountRemaining)));
  }

  private invoice(i: number) {
    return likely(this.invoices, i, ({ status }) => status === 'open');
  }

  private credit(creditId: string): Credit {
    return this.credits.find((credit) => credit.creditId === creditId) ?? missing();
  }

  private replace(invoice: IssuedInvoice) {
    this.invoices = this.invoices.map((one) => (one.invoiceId === invoice.invoiceId ? { ...one, ...invoice } : one));
  }
}

const isPending = ({ status }: Refund) => status === 'pending';

/** Mostly one that the step suits, so that not all are refused. */
function likely<T>(of: T[], i: number, suits: (one: T) => boolean): T {
  const suitable = of.filter(suits);
  return at(i % 4 === 0 || suitable.length === 0 ? of : suitable, i);
}

/** There is nothing of it yet: the step is refused as one about an unknown id is. */
function at<T>(of: T[], i: number): T {
  return of[i % of.length] ?? missing();
}

function missing(): never {
  throw new DomainError('not_found', 'nothing yet');
}

function check(records: Records) {
  const { invoices, credits, refunds } = records;
  for (const { entries } of records.postings) expect(toPlain(sum(entries.map(({ amount }) => amount)))).toBe('0');
  for (const credit of credits) {
    expect(credit.amountRemaining.gte(0) && credit.amountRemaining.lte(credit.amount)).toBe(true);
    const used = invoices
      .filter(({ status }) => status !== 'void')
      .flatMap(({ uses }) => uses.filter((use) => use.creditId === credit.creditId));
    // What is left and what invoices in force used are the whole credit, unless it was voided.
    const known = credit.amountRemaining.plus(sum(used.map(({ amount }) => amount)));
    if (credit.voidedAt === null) expect(toPlain(known)).toBe(toPlain(credit.amount));
    else expect(creditStatus(credit, records.today)).toBe('voided');
  }
  for (const invoice of invoices) {
    const of = refunds.filter(({ invoiceId }) => invoiceId === invoice.invoiceId);
    expect(refundableAmount(invoice, of).gte(0)).toBe(true);
    const back = sum(of.filter(({ status }) => status === 'succeeded').map(({ amount }) => amount));
    expect(toPlain(back)).toBe(toPlain(invoice.amountRefunded));
    const due = invoice.total.minus(invoice.creditsApplied).minus(invoice.amountPaid);
    expect(toPlain(invoice.amountDue)).toBe(toPlain(due.gt(0) ? due : ZERO));
    expect(invoice.status === 'paid' && !invoice.amountDue.isZero()).toBe(false);
  }
  checkBalances(records);
}

/** The ledger says what the records say. */
function checkBalances(records: Records) {
  const { invoices, credits, refunds } = records;
  const owed = invoices.filter(({ status }) => status === 'open' || status === 'uncollectible');
  const total = (amounts: Decimal[]) => toPlain(sum(amounts));
  expect(records.balance('accounts_receivable')).toBe(total(owed.map(({ amountDue }) => amountDue)));
  expect(records.balance('customer_credits')).toBe(total(credits.map((credit) => credit.amountRemaining.negated())));
  const back = refunds.filter(({ status }) => status === 'succeeded');
  const inCash = back.filter(({ method }) => method !== 'store_credit').map(({ amount }) => amount.negated());
  expect(records.balance('cash')).toBe(total([...invoices.map(({ amountPaid }) => amountPaid), ...inCash]));
  expect(records.balance('refunds')).toBe(total(back.map(({ amount }) => amount)));
  const inForce = invoices.filter(({ status }) => status !== 'void');
  expect(records.balance('revenue')).toBe(total(inForce.map(({ subtotal }) => subtotal.negated())));
  expect(records.balance('tax_payable')).toBe(total(inForce.map(({ taxAmount }) => taxAmount.negated())));
}

const cents = (min: number, max: number) => fc.integer({ min, max }).map((n) => decimal(n).shiftedBy(-2));
const which = fc.nat(30);
const refund = fc.record({
  do: fc.constant('refund' as const),
  which,
  amount: fc.option(cents(1, 9_000), { nil: undefined }),
  method: fc.constantFrom('bank_transfer' as const, 'bank_transfer' as const, 'store_credit' as const),
});
const settle = fc.record({
  do: fc.constant('settle' as const),
  which,
  trigger: fc.constantFrom('complete' as const, 'cancel' as const),
});
const steps = fc.oneof(
  fc.record({ do: fc.constant('issue' as const), amount: cents(-3_000, 20_000), taxRate: cents(0, 2_500) }),
  fc.record({ do: fc.constant('grant' as const), amount: cents(1, 9_000), days: fc.option(fc.nat(10)) }),
  fc.record({ do: fc.constantFrom('void' as const, 'giveUp' as const), which }),
  { arbitrary: fc.record({ do: fc.constant('pay' as const), which }), weight: 2 },
  { arbitrary: refund, weight: 3 },
  { arbitrary: settle, weight: 3 },
  fc.record({ do: fc.constant('voidCredit' as const), which }),
  fc.record({ do: fc.constant('expire' as const), which, days: fc.option(fc.integer({ min: -1, max: 10 })) }),
  fc.record({ do: fc.constant('wait' as const), days: fc.nat(5) }),
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

function take(records: Records, step: Step) {
  if (step.do === 'issue') records.issue(step.amount, step.taxRate);
  else if (step.do === 'grant') records.grant(step.amount, step.days);
  else if (step.do === 'refund') records.refund(step.which, step.amount, step.method);
  else if (step.do === 'settle') records.settle(step.which, step.trigger);
  else if (step.do === 'wait') records.day += step.days;
  else if (step.do === 'voidCredit') {
    records.changeCredit(step.which, (credit) => voidCredit(credit, records.day, records.today));
  } else if (step.do === 'expire') {
    const expiresAt = step.days === null ? null : addDays(records.today, step.days);
    records.changeCredit(step.which, (credit) => updateCredit(credit, { expiresAt }, records.today));
  } else records[step.do](step.which);
}

test('whatever happens, and in whatever order, the records hold', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(steps, { minLength: 30, maxLength: 60, size: 'max' }), (history) => {
      const records = new Records();
      for (const step of history) {
        try {
          take(records, step);
          seen.set(step.do, (seen.get(step.do) ?? 0) + 1);
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
        }
        check(records);
      }
    }),
    { numRuns: howMany(30, 80) },
  );
  // Every kind of step did happen, not only get refused.
  for (const step of ['issue', 'grant', 'void', 'pay', 'giveUp', 'refund', 'settle', 'voidCredit', 'expire']) {
    expect(seen.get(step) ?? 0, step).toBeGreaterThan(0);
  }
});

// Void then issue again: the customer stands where the first issue had left it.
test('an invoice issued again after its void takes the same credits and owes the same', () => {
  const positive = fc.array(fc.tuple(cents(1, 5_000), fc.option(fc.nat(5))), { maxLength: 5 });
  fc.assert(
    fc.property(positive, cents(1, 20_000), cents(0, 2_500), (credits, amount, taxRate) => {
      const records = new Records();
      for (const [given, days] of credits) records.grant(given, days);
      records.issue(amount, taxRate);
      const first = at(records.invoices, 0);
      if (first.status === 'paid') return;
      const left = records.credits;
      records.void(0);
      check(records);
      records.issue(amount, taxRate);
      check(records);
      const second = at(records.invoices, 1);
      expect(second.uses).toEqual(first.uses);
      expect(toPlain(second.amountDue)).toBe(toPlain(first.amountDue));
      expect(records.credits).toEqual(left);
    }),
  );
});
