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
  /** The invoice that it gives back of: so much, and so much tax of that, stand. */
  of?: { invoice: ModelInvoice; units: bigint; tax: bigint };
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

  /** The sums of an invoice of these lines; `left` is what credits have left where parts of a draft have used some, or left one. */
  amounts(lines: ModelLine[], taxRate: string, today: number, left = this.left()): ModelAmounts {
    const subtotal = lines.reduce((total, { units }) => total + units, 0n);
    const rate = subtotal < 0n ? rateOfMostBelowZero(lines, taxRate) : taxRate;
    const tax = nearest(multiply(whole(subtotal), fraction(percent(rate))));
    const total = subtotal + tax;
    const uses: Use[] = [];
    let due = total > 0n ? total : 0n;
    for (const credit of inOrder([...left.keys()])) {
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

  give(amount: bigint, expires: number | null, at: number): ModelCredit {
    const id = idOf('credit', this.credits.length);
    const credit = { id, amount, left: amount, expires, voided: false, at };
    this.credits.push(credit);
    return credit;
  }

  /**
   * Gives back so much of what invoices have charged, the newest first, then of what waits; in all never more than was
   * charged less what went back `earlier`, and of each invoice never more than is left of it. Answers how much it was.
   */
  creditProration(
    wanted: bigint,
    charges: { units: bigint; invoice: ModelInvoice }[],
    waiting: { units: bigint; rate: string },
    earlier: bigint,
    at: number,
  ): bigint {
    const came = charges.map(({ units, invoice }) => {
      const missing = invoice.status === 'uncollectible' ? withoutTax(invoice.due, invoice.rate) : 0n;
      return { invoice, units: units > missing ? units - missing : 0n };
    });
    const whole = came.reduce((sum, { units }) => sum + units, waiting.units - earlier);
    let left = lesser(wanted, whole);
    const asked = left;
    for (const { invoice, units } of came.toReversed()) {
      let now = lesser(left, units);
      let tax = taxOn(now, invoice.rate);
      const most = this.leftOf(invoice);
      if (now + tax > most) {
        now = withoutTax(most, invoice.rate);
        tax = most - now;
      }
      if (now <= 0n) continue;
      left -= now;
      this.give(now + tax, null, at).of = { invoice, units: now + tax, tax };
      this.back = { units: this.back.units + now, tax: this.back.tax + tax };
    }
    const rest = lesser(left, waiting.units);
    if (rest > 0n) {
      const tax = taxOn(rest, waiting.rate);
      this.give(rest + tax, null, at);
      this.back = { units: this.back.units + rest, tax: this.back.tax + tax };
      left -= rest;
    }
    return asked > 0n ? asked - left : 0n;
  }

  /** What of an invoice has not gone back yet, with tax. */
  private leftOf(invoice: ModelInvoice): bigint {
    const charged = invoice.lines.reduce((sum, { units }) => (units > 0n ? sum + units : sum), 0n);
    const left = charged + taxOn(charged, invoice.rate) - this.refundedOf(invoice) - this.givenOf(invoice);
    return left > 0n ? left : 0n;
  }

  private refundedOf(invoice: ModelInvoice): bigint {
    const gone = this.refunds.filter((one) => one.invoice === invoice && one.status !== 'canceled');
    return gone.reduce((total, { units }) => total + units, 0n);
  }

  private givenOf(invoice: ModelInvoice): bigint {
    return this.credits.reduce((total, { of }) => (of?.invoice === invoice ? total + of.units : total), 0n);
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
    for (const credit of this.credits) if (credit.of?.invoice === invoice) this.takeBack(credit, credit.of);
    invoice.status = 'void';
    return true;
  }

  /** What is left of it goes with its invoice. */
  private takeBack(credit: ModelCredit, of: { units: bigint; tax: bigint }): void {
    const tax = of.units === 0n ? 0n : divided(of.tax * credit.left, of.units);
    this.back = { units: this.back.units - credit.left + tax, tax: this.back.tax - tax };
    of.units -= credit.left;
    credit.left = 0n;
    credit.voided = true;
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
    // Credits may have paid for what was given back; money goes back once.
    const kept = invoice.paid + invoice.used - this.givenOf(invoice);
    const left = lesser(invoice.paid, kept) - this.refundedOf(invoice);
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
}

function inOrder(credits: readonly ModelCredit[]): ModelCredit[] {
  const never = Number.POSITIVE_INFINITY;
  return [...credits].sort(
    (a, b) => compareNumbers(a.expires ?? never, b.expires ?? never) || a.at - b.at || (a.id < b.id ? -1 : 1),
  );
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

function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function taxOn(units: bigint, rate: string): bigint {
  return nearest(multiply(whole(units), fraction(percent(rate))));
}

/** What of a sum is not tax. */
function withoutTax(total: bigint, rate: string): bigint {
  const { n, d } = fraction(percent(rate));
  return divided(total * d, n + d);
}

/** Rounded half up; of what is not below 0. */
function divided(a: bigint, b: bigint): bigint {
  return (2n * a + b) / (2n * b);
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function percent(rate: string): string {
  const [whole = '', decimals = ''] = rate.split('.');
  const digits = whole.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}${decimals}`;
}
