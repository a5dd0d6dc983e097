import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import { applyDifferences } from '../../../billing/settle/apply-differences.ts';
import { minimumKey } from '../../../billing/settle/charge-keys.ts';
import { costOf } from '../../../billing/settle/cost.ts';
import type {
  DiscountTerms,
  FeeChange,
  LimitFacts,
  PeriodFacts,
  PricedFacts,
  UnitsFacts,
} from '../../../billing/settle/facts.ts';
import { issue } from '../../../billing/settle/issue.ts';
import { type BillingRecords, type Difference, settle } from '../../../billing/settle/settle.ts';
import { cumulativeShares } from '../../../billing/settle/shares.ts';
import { reversible } from '../../../billing/settle/terms.ts';
import { type Decimal, decimal, sum, ZERO } from '../../../core/decimal.ts';
import { component } from '../fixtures.ts';

const PLACES = 2;
const BY = { subscriptionId: 'sub', planId: 'plan', version: 1 };

/** The first subscription, in a period of 30 days, which nothing is charged for yet. */
export function period(periodId: string, change: Partial<PeriodFacts> = {}): PeriodFacts {
  const nothing = { fees: [], units: [], priced: [], limits: [] };
  const days = { days: 30, length: 30, used: [{ from: 0, to: 30 }] };
  return { periodId, startsAt: 0, endsAt: 1, isInAdvance: false, isClosed: false, ...days, ...nothing, ...change };
}

/** A price of the fee from a day on. */
export function fee(from: number, price: number | string, changeId = `fee-${from}-${price}`): FeeChange {
  return { ...BY, planName: 'Pro', changeId, from, price: decimal(`${price}`), mayNotRestore: [] };
}

/** Prepaid units at 1.00 each; each further number is a change of them. */
export function units(...chosen: number[]): UnitsFacts {
  const changes = chosen.map((count, i) => ({
    ...{ ...BY, changeId: `units-${i}`, from: 0, price: decimal(count), mayNotRestore: [] },
    ...{ units: decimal(count), component: component({ metricId: 'calls', overagePrice: decimal(1) }) },
  }));
  return { metricId: 'calls', metricName: 'Calls', windowId: 'period', startsAt: 0, endsAt: 1, changes };
}

/** Usage of one metric at 1.00 a unit. */
export function usage(count: number | string, windowId = 'period', metricId = 'calls'): PricedFacts {
  const line = { ...emptyLine('usage', 'Calls'), ...BY, metricId, amount: decimal(count) };
  return { itemId: metricId, windowId, due: 'end', line };
}

/** Limits of the whole plan. */
export function planLimits(minimum: number | null, maximum: number | null): LimitFacts {
  const amount = (value: number | null) => (value === null ? null : decimal(value));
  const limits = { minimumAmount: amount(minimum), maximumAmount: amount(maximum) };
  return { ...BY, metricId: null, windowId: null, name: 'Pro', limits };
}

/** A percentage off everything of the subscription. */
export function percentOff(percent: number, periods: number | null, discountId = `percent-${percent}`): DiscountTerms {
  return { discountId, percentOff: decimal(percent), amountOff: null, currency: null, ...everything, periods };
}

/** An amount off everything of the subscription. */
export function amountOff(amount: number, periods: number | null, discountId = `amount-${amount}`): DiscountTerms {
  return { discountId, percentOff: null, amountOff: decimal(amount), currency: 'USD', ...everything, periods };
}

const everything = { subscriptionIds: ['sub'], appliesTo: null };

type IssueOptions = { taxRate?: number; payerId?: string; kind?: 'opening' | 'period' | 'closing' | 'proration' };

/**
 * A customer's records over time, for worked examples: facts change, invoices are issued, paid, refunded and voided. All invoices are
 * paid in full unless they are voided.
 */
export class Life {
  records: BillingRecords = { facts: [], invoices: [], charges: [], places: PLACES };
  discounts: DiscountTerms[] = [];
  /** What each payer has paid net, with tax: invoices less what went back. Void invoices are paid by nobody. */
  readonly paid = new Map<string, Decimal>();

  /** Sets what is true of a period from now on. */
  set(facts: PeriodFacts): this {
    const others = this.records.facts.filter(({ periodId }) => periodId !== facts.periodId);
    this.records = { ...this.records, facts: [...others, facts] };
    return this;
  }

  /** Issues an invoice of the lines that fall due as named and are on none yet. Returns its total with tax. */
  issue(invoiceId: string, periodId: string, dues: readonly string[], options: IssueOptions = {}): string {
    const { taxRate = 0, payerId = 'payer', kind = 'period' } = options;
    const { facts, invoices, charges } = this.records;
    const charged = new Set(invoices.flatMap(({ keys }) => keys));
    const lines = facts.flatMap((one) => costOf(one, PLACES)).filter((line) => !charged.has(line.key));
    const closing = dues.includes('end') ? facts.filter((one) => one.periodId === periodId) : [];
    const minimums = closing.flatMap((one) => one.limits.map((limit) => minimumKey(periodId, limit)));
    const keys = [
      ...lines.filter((line) => line.periodId === periodId && dues.includes(line.due)).map(({ key }) => key),
    ];
    const discounts = this.discounts.map((terms) => ({ terms, hasLowered: false }));
    const terms = { invoiceId, order: invoices.length, kind, periodId, payerId, discounts, voidedBefore: null };
    const made = issue(this.records, { ...terms, taxRate: decimal(taxRate), keys: [...keys, ...minimums] });
    this.records = { ...this.records, invoices: [...invoices, made.invoice], charges: [...charges, ...made.charges] };
    this.#pay(payerId, made.net.plus(made.tax));
    return made.net.plus(made.tax).toFixed(PLACES);
  }

  /** Settles the records. Returns what moves, with tax: below zero goes back. */
  settle(hostId = 'host'): string {
    const { differences } = settle(this.records);
    this.records = applyDifferences(this.records, differences, hostId);
    for (const { invoice, net, tax } of differences) this.#pay(invoice.payerId, net.plus(tax));
    return sum(differences.map(({ net, tax }) => net.plus(tax))).toFixed(PLACES);
  }

  /** What would move now, by payer. */
  differences(): Difference[] {
    return settle(this.records).differences;
  }

  /** Refunds an amount of an invoice by hand; without one all that is left. Without tax. Returns it. */
  refund(invoiceId: string, amount?: number): string {
    const ours = this.records.charges.filter((charge) => charge.invoiceId === invoiceId);
    const left = ours.map(reversible);
    const asked = amount === undefined ? sum(left) : decimal(amount);
    const shares = cumulativeShares(asked, left, PLACES);
    const forgiven = new Map(ours.map(({ lineId }, i) => [lineId, shares[i] ?? ZERO]));
    const charges = this.records.charges.map((charge) => {
      return { ...charge, byHand: charge.byHand.plus(forgiven.get(charge.lineId) ?? ZERO) };
    });
    this.records = { ...this.records, charges };
    this.#pay('payer', asked.negated());
    return asked.toFixed(PLACES);
  }

  /** Voids an unpaid invoice. */
  void(invoiceId: string): this {
    const { invoices, charges } = this.records;
    const at = invoices.length;
    this.records = {
      ...this.records,
      invoices: invoices.map((one) => (one.invoiceId === invoiceId ? { ...one, voidedBefore: at } : one)),
      charges: charges.map((one) => (one.invoiceId === invoiceId ? { ...one, isVoid: true } : one)),
    };
    return this;
  }

  #pay(payerId: string, amount: Decimal) {
    this.paid.set(payerId, (this.paid.get(payerId) ?? ZERO).plus(amount));
  }
}
