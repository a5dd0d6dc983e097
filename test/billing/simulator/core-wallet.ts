import type { CollectedFee, SwitchCharge } from '../../../billing/credits/charged-fee.ts';
import {
  type Credit,
  type CreditReason,
  creditsAfter,
  newCredit,
  updateCredit,
  voidCredit,
} from '../../../billing/credits/credits.ts';
import type { InvoiceAtHand } from '../../../billing/credits/proration-credits.ts';
import {
  type CreditedBack,
  leftToCredit,
  planRefund,
  type Refund,
  settleByHand,
} from '../../../billing/credits/refunds.ts';
import type { ApplicableDiscount } from '../../../billing/discounts/discounts.ts';
import { type ComputedInvoice, computeTax } from '../../../billing/invoices/compute-invoice.ts';
import { type ComputedSection, standInOf, withInvoiceNamed } from '../../../billing/invoices/consolidated-invoice.ts';
import type { InvoiceLine, IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { payInvoice } from '../../../billing/invoices/pay-invoice.ts';
import { voidInvoice } from '../../../billing/invoices/void-invoice.ts';
import {
  type LedgerPosting,
  postCreditApplied,
  postCreditGranted,
  postCreditVoided,
  postInvoiceIssued,
  postOverpaymentCredited,
  postPaymentReceived,
  postProrationCredit,
  postRefundCredited,
  postRefundPaid,
} from '../../../billing/ledger/ledger.ts';
import type { Period } from '../../../billing/periods/periods.ts';
import type { LimitedLines } from '../../../billing/pricing/limits.ts';
import type { DowngradePart } from '../../../billing/subscriptions/cancel.ts';
import { nextInvoiceStatus } from '../../../billing/subscriptions/states.ts';
import { currencyOf } from '../../../core/currencies.ts';
import { type Decimal, sum, toPlain, ZERO } from '../../../core/decimal.ts';
import { DomainError } from '../../../core/domain-error.ts';
import { addDays, type Instant, type LocalDate } from '../../../core/instants.ts';
import { issuedInvoice } from '../fixtures.ts';
import { CoreRecords } from './contract/core-records.ts';
import { withFeeShares } from './core-fee-shares.ts';
import { limitedLinesOf } from './core-limited-lines.ts';
import { payWithCredit } from './core-open-invoice.ts';
import { recordsOf } from './core-records-entry.ts';
import { idOf, type RecordsEntry } from './life.ts';

type Now = { at: Instant; today: LocalDate };
const LOWERING: readonly string[] = ['true_up', 'discount'];
const ACCOUNTS = ['accounts_receivable', 'cash', 'revenue', 'tax_payable', 'customer_credits', 'refunds'] as const;

/** A customer's money by the rules of billing/, put together as the operations of api/ and sql/ put them together. */
export class CoreWallet {
  private currency: string;
  private customerId: string;
  private shared: CoreRecords;
  private credits_: Credit[] = [];
  private refunds: Refund[] = [];
  private balances = new Map<string, Decimal[]>();

  constructor(currency: string, { customerId = 'c1', records = new CoreRecords() } = {}) {
    [this.currency, this.customerId, this.shared] = [currency, customerId, records];
    records.wallets.set(customerId, this);
  }

  /** Those with something left, as a closing reads them. */
  get credits(): Credit[] {
    return this.credits_.filter(({ amountRemaining, voidedAt }) => amountRemaining.gt(0) && voidedAt === null);
  }

  /** Invoices, oldest first. */
  get issued(): readonly IssuedInvoice[] {
    return this.shared.invoices;
  }

  issue(computed: ComputedInvoice, now: Now): string {
    this.credits_ = creditsAfter(this.credits_, computed.applications);
    if (this.credits_.some(({ amountRemaining }) => amountRemaining.lt(0))) throw new Error('a credit below zero');
    const uses = computed.applications.map(({ credit, amount }) => ({ creditId: credit.creditId, amount }));
    const { applications: _used, overpayment, ...amounts } = computed;
    const invoiceId = idOf('inv', this.shared.nextId());
    const lines = withInvoiceNamed(computed.lines, invoiceId).map((line, i) => ({ ...line, lineId: `line_${i}` }));
    this.shared.invoices.push({
      ...issuedInvoice({ ...amounts, invoiceId, lines, customerId: this.customerId, issueDate: now.today }),
      uses,
    });
    this.post(postInvoiceIssued(computed), ...uses.map(({ amount }) => postCreditApplied(amount)));
    if (overpayment.gt(0))
      this.give(overpayment, null, now, ['overpayment_credit', postOverpaymentCredited(overpayment)]);
    return invoiceId;
  }

  /** Has what a section bills be found as what invoices bill, until it is on one: by a stand-in, which is answered. */
  hold({ lines, kind, subtotal }: ComputedSection, taxRate: Decimal): string {
    const invoiceId = standInOf(String(this.shared.nextId()));
    const own = lines.map((line, i) => ({ ...line, lineId: `line_${i}` }));
    this.shared.invoices.push({
      ...issuedInvoice({ invoiceId, kind, taxRate, subtotal, lines: own, customerId: this.customerId }),
      uses: [],
    });
    return invoiceId;
  }

  /** What was held is on an invoice. */
  release(standIns: readonly string[]): void {
    this.shared.invoices = this.shared.invoices.filter(({ invoiceId }) => !standIns.includes(invoiceId ?? ''));
  }

  /** As `lockChargedUnits` finds them. */
  chargedUnits(metricId: string, startsAt: Instant): CollectedFee[] {
    return this.charged(
      (line) =>
        (line.type === 'prepaid_units' || line.type === 'proration') &&
        line.metricId === metricId &&
        line.periodStart === startsAt,
    );
  }

  /** As `listChargedFees` finds them; `discounts` are all that there have been. */
  chargedFees(
    subscriptionIds: readonly string[],
    { startsAt, endsAt }: Pick<Period, 'startsAt' | 'endsAt'>,
    discounts: readonly ApplicableDiscount[] = [],
  ): CollectedFee[] {
    const fees = this.charged(
      ({ type, subscriptionId, metricId, periodStart, periodEnd }) =>
        subscriptionIds.includes(subscriptionId ?? '') &&
        ((type === 'recurring_fee' && periodStart === startsAt) ||
          (type === 'proration' && metricId === null && periodEnd === endsAt)),
    );
    return withFeeShares(fees, this.shared.invoices, { subscriptionId: subscriptionIds[0] ?? '', discounts });
  }

  /** As `listLimitedLines` finds them; `begunAt`: when the first period of a subscription began. */
  limitedLines(begunAt: (subscriptionId: string) => Instant): LimitedLines[] {
    return limitedLinesOf(this.shared.invoices, begunAt);
  }

  /** As `listSwitchCharges` finds them; none is void here. */
  switchCharges(switches: readonly { subscriptionId: string; at: Instant }[]): SwitchCharge[] {
    return switches.flatMap(({ subscriptionId, at }) => {
      const isOurs = (line: InvoiceLine) =>
        line.type === 'proration' &&
        line.metricId === null &&
        line.subscriptionId === subscriptionId &&
        line.periodStart === at &&
        line.amount.gt(0);
      return this.charged(isOurs).map((charge) => ({ ...charge, subscriptionId, at }));
    });
  }

  /** What lines of invoices that are not void have charged, with what is left of these to give back. */
  private charged(isOurs: (line: InvoiceLine) => boolean): (CollectedFee & { charges: Decimal; credited: Decimal })[] {
    const valid = this.shared.invoices.filter(({ status, lines }) => status !== 'void' && lines.some(isOurs));
    return valid.map(({ invoiceId, customerId: payerId, taxRate, lines, status, amountDue }) => {
      const charges = lines.filter(
        ({ type, amount, givenBackOf }) =>
          type !== 'credit' && (amount.gt(0) || LOWERING.includes(type) || givenBackOf === invoiceId),
      );
      const refunds = this.refundsOf(invoiceId).filter(({ status: state }) => state !== 'canceled');
      const refunded = sum(refunds.map(({ amount }) => amount));
      const whole = { charges: sum(charges.map(({ amount }) => amount)), credited: this.creditedBack(invoiceId).given };
      const left = leftToCredit({ ...whole, refunded, taxRate }, currencyOf(this.currency).exponent);
      const unpaid = status === 'uncollectible' ? amountDue : ZERO;
      const ours = lines.filter(isOurs);
      const discount = sum(ours.map(({ discountAmount = ZERO }) => discountAmount));
      const amount = sum(ours.map((line) => line.amount)).minus(discount);
      return { invoiceId, payerId, taxRate, amount, discount, left, unpaid, ...whole };
    });
  }

  private creditedBack(invoiceId: string): CreditedBack {
    const given = this.shared.given.filter((one) => one.invoiceId === invoiceId).map(({ amount }) => amount);
    const taken = this.shared.invoices
      .filter(({ status }) => status !== 'void')
      .flatMap(({ lines, taxRate, invoiceId: by }) => lines.map((line) => ({ ...line, taxRate, by })))
      .filter(({ givenBackOf, by }) => givenBackOf === invoiceId && by !== invoiceId)
      .map(({ amount, taxRate }) => amount.plus(computeTax(amount, taxRate, currencyOf(this.currency).exponent)));
    return { given: sum(given).minus(sum(taken)), applied: ZERO };
  }

  /** Who was billed is given back to; of what is on no invoice yet, who is billed now. */
  creditProration(back: DowngradePart, now: Now) {
    const { invoiceId, tax, payerId = this.customerId } = back;
    const amount = back.amount.plus(tax);
    const wallet = this.shared.wallets.get(payerId) ?? this;
    const creditId = wallet.give(amount, null, now, ['overpayment_credit', postProrationCredit(back)]);
    if (invoiceId !== null) this.shared.given.push({ invoiceId, creditId, amount, tax });
    return { wallet, creditId };
  }

  /** As `applyAtOnce` in services/credits/save-proration-credit.ts. */
  payOwed(creditId: string, invoiceId: string, { at }: Now): void {
    const { invoice } = this.atHand(invoiceId);
    const { changed, amount } = payWithCredit(invoice, this.credit(creditId), at);
    if (amount.isZero()) return;
    this.credits_ = creditsAfter(this.credits_, [{ credit: this.credit(creditId), amount }]);
    this.replace(changed);
    this.shared.invoices.find((one) => one.invoiceId === invoiceId)?.uses.push({ creditId, amount });
    this.post(postCreditApplied(amount));
  }

  /** As `loadInvoicesAtHand`. */
  atHand(invoiceId: string): InvoiceAtHand {
    const invoice = this.shared.invoices.find((one) => one.invoiceId === invoiceId);
    if (!invoice) throw new Error(`no invoice ${invoiceId}`);
    const [refunds, creditedBack] = [this.refundsOf(invoiceId), this.creditedBack(invoiceId)];
    return { invoice, refunds, creditedBack, isInFlight: false };
  }

  private refundsOf = (id: string) => this.refunds.filter(({ invoiceId }) => invoiceId === id);

  /** But for those that were canceled. */
  sentBack = () => this.refunds.filter(({ status, method }) => status !== 'canceled' && method !== 'store_credit');

  grant(amount: Decimal, days: number | null, now: Now): void {
    this.give(amount, days, now, ['service_credit', postCreditGranted(amount)]);
  }

  voidCredit(which: number, { at, today }: Now): void {
    this.changeCredit(which, (credit) => voidCredit(credit, at, today));
  }

  moveExpiry(which: number, days: number | null, { today }: Now): void {
    const expiresAt = days === null ? null : addDays(today, days);
    this.changeCredit(which, (credit) => updateCredit(credit, { expiresAt }, today));
  }

  pay(which: number, { at }: Now): void {
    const before = newest(this.shared.invoices, which);
    const { invoice, payment } = payInvoice(before, { method: 'manual', reference: null, paidAt: at });
    this.replace({ ...before, ...invoice, invoiceId: before.invoiceId, invoiceNumber: before.invoiceNumber });
    this.post(postPaymentReceived(payment.amount));
  }

  void(which: number, { at }: Now): void {
    const before = newest(this.shared.invoices, which);
    const ours = this.shared.given.filter(({ invoiceId }) => invoiceId === before.invoiceId);
    // A credit of an invoice comes after it: it has paid nothing of that.
    const taken = ours.map((given) => ({ credit: this.credit(given.creditId), amount: ZERO, given }));
    const uses = before.uses.map(({ creditId, amount }) => ({ credit: this.credit(creditId), amount, given: null }));
    const { invoice, restorations, posting } = voidInvoice(before, [...uses, ...taken], { at, inFlight: false });
    this.replace(invoice);
    this.post(posting, ...restorations.flatMap(({ postings }) => postings));
    for (const { creditId, amountRemaining, voidedAt } of restorations) {
      const left = this.credit(creditId).amountRemaining;
      const change = { amountRemaining, voidedAt };
      this.credits_ = this.credits_.map((one) => (one.creditId === creditId ? { ...one, ...change } : one));
      this.shared.given = this.shared.given.map((one) => {
        const isTaken = one.creditId === creditId && ours.includes(one);
        return isTaken ? { ...one, amount: one.amount.minus(left) } : one;
      });
    }
  }

  giveUp(which: number): void {
    const invoice = newest(this.shared.invoices, which);
    this.replace({ ...invoice, status: nextInvoiceStatus(invoice.status, 'mark_uncollectible') });
  }

  refund(which: number, amount: Decimal | undefined, method: 'bank_transfer' | 'store_credit', now: Now): void {
    const invoice = newest(this.shared.invoices, which);
    const asked = { amount, method, reason: null, description: null };
    const [earlier, credited] = [this.refundsOf(invoice.invoiceId), this.creditedBack(invoice.invoiceId)];
    const planned = planRefund(invoice, earlier, asked, now, credited);
    const isCredit = planned.method === 'store_credit';
    const posting = postRefundCredited(planned.amount);
    const creditId = isCredit ? this.give(planned.amount, null, now, ['overpayment_credit', posting]) : null;
    this.refunds.push({ ...planned, refundId: idOf('refund', this.refunds.length), creditId });
    if (isCredit) this.replace({ ...invoice, amountRefunded: invoice.amountRefunded.plus(planned.amount) });
  }

  settle(which: number, trigger: 'complete' | 'cancel', { at }: Now): void {
    const refund = settleByHand(newest(this.refunds, which), trigger, at);
    this.refunds = this.refunds.map((one) => (one.refundId === refund.refundId ? refund : one));
    if (refund.status !== 'succeeded') return;
    this.post(postRefundPaid(refund.amount));
    const { invoice } = this.atHand(refund.invoiceId);
    this.replace({ ...invoice, amountRefunded: invoice.amountRefunded.plus(refund.amount) });
  }

  records(today: LocalDate): RecordsEntry {
    const ledger = Object.fromEntries(ACCOUNTS.map((account) => [account, this.balance(account)]));
    return { ...recordsOf(this.shared.invoices, this.credits_, this.refunds, today), ledger };
  }

  /** Of all accounts together; 0 whatever has happened. */
  imbalance(): string {
    return toPlain(sum([...this.balances.values()].flat()));
  }

  private balance(account: string): string {
    return toPlain(sum(this.balances.get(account) ?? []));
  }

  give(amount: Decimal, days: number | null, { at, today }: Now, why: [CreditReason, LedgerPosting]): string {
    const [reason, posting] = why;
    const creditId = idOf('credit', this.credits_.length);
    const expiresAt = days === null ? null : addDays(today, days);
    const { currency } = this;
    const given = { creditId, customerId: 'c1', amount, currency, reason, description: null, expiresAt, createdAt: at };
    this.credits_.push(newCredit(given));
    this.post(posting);
    return creditId;
  }

  private changeCredit(which: number, change: (credit: Credit) => Credit): void {
    const before = newest(this.credits_, which);
    const after = change(before);
    this.credits_ = this.credits_.map((one) => (one === before ? after : one));
    this.post(postCreditVoided(before.amountRemaining.minus(after.amountRemaining)));
  }

  private credit(creditId: string): Credit {
    const credit = this.credits_.find((one) => one.creditId === creditId);
    if (!credit) throw new Error(`no credit ${creditId}`);
    return credit;
  }

  private replace(invoice: IssuedInvoice): void {
    this.shared.invoices = this.shared.invoices.map((one) =>
      one.invoiceId === invoice.invoiceId ? { ...one, ...invoice } : one,
    );
  }

  private post(...postings: LedgerPosting[]): void {
    for (const { kind, entries } of postings) {
      if (!sum(entries.map(({ amount }) => amount)).isZero()) throw new Error(`${kind} does not sum to zero`);
      for (const { ledgerAccount, amount } of entries) {
        const amounts = this.balances.get(ledgerAccount) ?? [];
        this.balances.set(ledgerAccount, [...amounts, amount]);
      }
    }
  }
}

/** There is none yet: refused, as one about an unknown id is. */
function newest<T>(of: T[], which: number): T {
  const one = of.at(-1 - which);
  if (one === undefined) throw new DomainError('not_found', 'nothing yet');
  return one;
}
