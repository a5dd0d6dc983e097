import { fraction, multiply, nearest, unitsText, whole } from './fractions.ts';
import { type AmountsEntry, idOf, type LineEntry, type RecordsEntry } from './life.ts';

/** Money is in whole units of the currency's smallest. */
/** `chargedAt`: the tax rate of what the line takes back. */
export type ModelLine = Omit<LineEntry, 'amount'> & { units: bigint; chargedAt?: string };
export type ModelCredit = {
  id: string;
  amount: bigint;
  left: bigint;
  expires: number | null;
  voided: boolean;
  at: number;
};
type Use = { credit: ModelCredit; units: bigint };
export type ModelAmounts = {
  rate: string;
  subtotal: bigint;
  tax: bigint;
  total: bigint;
  used: bigint;
  due: bigint;
  over: bigint;
  lines: ModelLine[];
  uses: Use[];
};
type ModelInvoice = ModelAmounts & { id: string; status: string; paid: bigint; refunded: bigint };
type ModelRefund = { invoice: ModelInvoice; units: bigint; byBank: boolean; status: string };

const ORDER = ['recurring_fee', 'prepaid_units', 'usage', 'addon', 'proration', 'late_usage', 'credit'];

/** What a customer owes and has, by the simplest rules that could be right. Refused is what answers false. */
export class ModelWallet {
  places: number;
  credits: ModelCredit[] = [];
  invoices: ModelInvoice[] = [];
  refunds: ModelRefund[] = [];
  /** What was charged and then given back, and its tax. */
  private back = { units: 0n, tax: 0n };

  constructor(places: number) {
    this.places = places;
  }

  /** The sums of an invoice of these lines; `left` is what credits have left where parts of a draft have used some. */
  amounts(lines: ModelLine[], taxRate: string, today: number, left = this.left()): ModelAmounts {
    const subtotal = lines.reduce((total, { units }) => total + units, 0n);
    const rate = subtotal < 0n ? rateOfMostBelowZero(lines, taxRate) : taxRate;
    const tax = nearest(multiply(whole(subtotal), fraction(percent(rate))));
    const total = subtotal + tax;
    const uses: Use[] = [];
    let due = total > 0n ? total : 0n;
    for (const credit of this.inOrder()) {
      const usable =
        credit.voided || (credit.expires !== null && credit.expires < today) ? 0n : (left.get(credit) ?? 0n);
      const units = usable < due ? usable : due;
      if (units > 0n) uses.push({ credit, units });
      due -= units;
    }
    const used = uses.reduce((sum, { units }) => sum + units, 0n);
    return { rate, subtotal, tax, total, used, due, over: total < 0n ? -total : 0n, lines, uses };
  }

  left(): Map<ModelCredit, bigint> {
    return new Map(this.credits.map((credit) => [credit, credit.left]));
  }

  /** Makes the invoice and takes what it used; what a negative one leaves becomes a credit. */
  issue(amounts: ModelAmounts, at: number): ModelInvoice {
    const status = amounts.due > 0n ? 'open' : 'paid';
    const invoice = { ...amounts, id: idOf('inv', this.invoices.length), status, paid: 0n, refunded: 0n };
    this.invoices.push(invoice);
    for (const { credit, units } of amounts.uses) credit.left -= units;
    if (amounts.over > 0n) this.give(amounts.over, null, at);
    return invoice;
  }

  give(amount: bigint, expires: number | null, at: number): void {
    const id = idOf('credit', this.credits.length);
    this.credits.push({ id, amount, left: amount, expires, voided: false, at });
  }

  /**
   * Gives back so much of these charges, the newest first, after what of them went back `earlier`; each with its own tax.
   * Answers how much it was.
   */
  creditProration(wanted: bigint, charges: { units: bigint; rate: string }[], earlier: bigint, at: number): bigint {
    let [skip, left, tax] = [earlier, wanted, 0n];
    for (const { units, rate } of charges.toReversed()) {
      const gone = skip < units ? skip : units;
      skip -= gone;
      const now = left < units - gone ? left : units - gone;
      left -= now;
      tax += nearest(multiply(whole(now), fraction(percent(rate))));
    }
    const given = wanted - left;
    if (given > 0n) this.give(given + tax, null, at);
    this.back = { units: this.back.units + given, tax: this.back.tax + tax };
    return given;
  }

  changeCredit(which: number, today: number, change: Partial<ModelCredit>): boolean {
    const credit = this.credits.at(-1 - which);
    if (!credit || this.statusOf(credit, today) !== 'active') return false;
    if (change.expires && change.expires < today) return false;
    Object.assign(credit, change);
    return true;
  }

  pay(which: number): boolean {
    const invoice = this.invoices.at(-1 - which);
    if (invoice?.status !== 'open' && invoice?.status !== 'uncollectible') return false;
    invoice.paid += invoice.due;
    invoice.due = 0n;
    invoice.status = 'paid';
    return true;
  }

  void(which: number): boolean {
    const invoice = this.invoices.at(-1 - which);
    if (invoice?.status !== 'open' && invoice?.status !== 'uncollectible') return false;
    for (const { credit, units } of invoice.uses) if (!credit.voided) credit.left += units;
    invoice.status = 'void';
    return true;
  }

  giveUp(which: number): boolean {
    const invoice = this.invoices.at(-1 - which);
    if (invoice?.status !== 'open') return false;
    invoice.status = 'uncollectible';
    return true;
  }

  refund(which: number, asked: bigint | null, byBank: boolean, at: number): boolean {
    const invoice = this.invoices.at(-1 - which);
    if (!invoice) return false;
    const gone = this.refunds.filter((one) => one.invoice === invoice && one.status !== 'canceled');
    const left = invoice.paid - gone.reduce((total, { units }) => total + units, 0n);
    const units = asked ?? left;
    if (left <= 0n || units > left) return false;
    this.refunds.push({ invoice, units, byBank, status: byBank ? 'pending' : 'succeeded' });
    if (!byBank) {
      invoice.refunded += units;
      this.give(units, null, at);
    }
    return true;
  }

  settle(which: number, trigger: 'complete' | 'cancel'): boolean {
    const refund = this.refunds.at(-1 - which);
    if (refund?.status !== 'pending') return false;
    refund.status = trigger === 'complete' ? 'succeeded' : 'canceled';
    if (trigger === 'complete') refund.invoice.refunded += refund.units;
    return true;
  }

  records(today: number): RecordsEntry {
    const say = (units: bigint) => unitsText(units, this.places);
    const invoices = this.invoices.map(({ id, status, due, paid, refunded }) => {
      return { id, status, due: say(due), paid: say(paid), refunded: say(refunded) };
    });
    const credits = this.credits.map((one) => ({ id: one.id, left: say(one.left), status: this.statusOf(one, today) }));
    const refunds = this.refunds.map(({ units, status }) => ({ amount: say(units), status }));
    return { invoices, credits, refunds, ledger: this.ledger(say) };
  }

  private ledger(say: (units: bigint) => string): Record<string, string> {
    const total = (numbers: bigint[]) => numbers.reduce((sum, n) => sum + n, 0n);
    const owed = this.invoices.filter(({ status }) => status === 'open' || status === 'uncollectible');
    const valid = this.invoices.filter(({ status }) => status !== 'void');
    const back = this.refunds.filter(({ status }) => status === 'succeeded');
    return {
      accounts_receivable: say(total(owed.map(({ due }) => due))),
      cash: say(
        total(this.invoices.map(({ paid }) => paid)) - total(back.map(({ byBank, units }) => (byBank ? units : 0n))),
      ),
      revenue: say(this.back.units - total(valid.map(({ subtotal }) => subtotal))),
      tax_payable: say(this.back.tax - total(valid.map(({ tax }) => tax))),
      customer_credits: say(-total(this.credits.map(({ left }) => left))),
      refunds: say(total(back.map(({ units }) => units))),
    };
  }

  private statusOf({ voided, left, expires }: ModelCredit, today: number): string {
    if (voided) return 'voided';
    if (left === 0n) return 'consumed';
    return expires !== null && expires < today ? 'expired' : 'active';
  }

  private inOrder(): ModelCredit[] {
    const never = Number.POSITIVE_INFINITY;
    return [...this.credits].sort(
      (a, b) => compareNumbers(a.expires ?? never, b.expires ?? never) || a.at - b.at || (a.id < b.id ? -1 : 1),
    );
  }
}

/** An invoice's amounts as an entry, its lines in the order of their types, then the credits. */
export function amountsEntry(of: ModelAmounts, places: number): AmountsEntry {
  const say = (units: bigint) => unitsText(units, places);
  const credits = of.uses.map(({ credit, units }) => ({ ...bareLine('credit'), credit: credit.id, units: -units }));
  const lines = [...of.lines, ...credits].sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
  return {
    lines: lines.map(({ units, chargedAt: _, ...line }) => ({ ...line, amount: say(units) })),
    subtotal: say(of.subtotal),
    tax: say(of.tax),
    total: say(of.total),
    credits: say(of.used),
    due: say(of.due),
    overpayment: say(of.over),
    status: of.due > 0n ? 'open' : 'paid',
  };
}

/** The sum of the parts of a draft. */
export function sumOfParts(parts: ModelAmounts[]): ModelAmounts {
  const none: ModelAmounts = {
    rate: '0',
    subtotal: 0n,
    tax: 0n,
    total: 0n,
    used: 0n,
    due: 0n,
    over: 0n,
    lines: [],
    uses: [],
  };
  return parts.reduce(
    (a, b) => ({
      rate: a.rate,
      subtotal: a.subtotal + b.subtotal,
      tax: a.tax + b.tax,
      total: a.total + b.total,
      used: a.used + b.used,
      due: a.due + b.due,
      over: a.over + b.over,
      lines: [...a.lines, ...b.lines],
      uses: [...a.uses, ...b.uses],
    }),
    none,
  );
}

export function bareLine(type: string): ModelLine {
  const nothing = { subscription: null, metric: null, addon: null, credit: null, from: null, to: null };
  const numbers = { quantity: null, billable: null, unitPrice: null, events: null, tiers: [], units: 0n };
  return { type, ...nothing, ...numbers };
}

/** What is taken back is taxed as it was: by the rate that stands beside the most of it. */
function rateOfMostBelowZero(lines: ModelLine[], now: string): string {
  const back = new Map<string, bigint>();
  for (const { units, chargedAt = now } of lines)
    if (units < 0n) back.set(chargedAt, (back.get(chargedAt) ?? 0n) - units);
  let most = now;
  for (const [rate, units] of back) if (units > (back.get(most) ?? 0n)) most = rate;
  return most;
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function percent(rate: string): string {
  const [whole = '', decimals = ''] = rate.split('.');
  const digits = whole.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}${decimals}`;
}
