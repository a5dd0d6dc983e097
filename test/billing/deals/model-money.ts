import { type Deal, type DealOutcome, PLACES } from './deal.ts';
import { type Amount, exact, type Invoice, type Line, line, max, min, net, sum, total } from './model-usage.ts';

const TYPES = ['recurring_fee', 'prepaid_units', 'usage', 'addon', 'proration', 'late_usage', 'true_up'];

/** What is billed of one deal at once, on an invoice of its own or as a section of one. */
type Bill = {
  customer: number;
  kind: string;
  from: number;
  to: number;
  lines: Line[];
  held: string[];
  invoice: Invoice;
};

/** Who is billed, for itself and for others: tax, credits, sections (spec/invoices#sections, spec/credits#given-back-once). */
export class Payer {
  readonly customer: number;
  /** How many others it pays for. */
  others = 0;
  waiting: Bill[] = [];
  credits: Amount;
  private readonly deal: Deal;
  private readonly outcome: DealOutcome;

  constructor(customer: number, deal: Deal, outcome: DealOutcome) {
    [this.customer, this.deal, this.outcome, this.credits] = [customer, deal, outcome, exact(deal.credit)];
  }

  /** Half away from zero; behind 40 decimals is only what a division has left. */
  round = (amount: Amount): Amount => amount.dp(40).dp(PLACES[this.deal.currency]);
  withTax = (net: Amount): Amount => net.plus(this.round(net.times(this.deal.taxRate).div(100)));
  withoutTax = (whole: Amount): Amount => this.round(whole.times(100).div(exact(100).plus(this.deal.taxRate)));

  /** One invoice; where it pays for others of what time has made due. What is below nought is credit for those behind it. */
  issue(bills: Bill[], isOfAll = false): void {
    const lines = bills.flatMap((bill) => bill.lines.map((one) => ({ ...one, text: this.textOf(one, bill.customer) })));
    const invoice = {
      payer: this,
      charges: sum(bills.map((bill) => bill.invoice.charges)),
      gone: sum(bills.map((bill) => bill.invoice.gone)),
    };
    for (const one of bills.flatMap((bill) => bill.lines)) one.invoice = invoice;
    const kinds = [...new Set(bills.map(({ kind }) => kind))];
    const subtotal = total(lines);
    const whole = this.withTax(subtotal);
    this.outcome.invoices.push({
      ...{ customer: this.customer, kind: kinds.length === 1 ? (kinds[0] ?? '') : 'period' },
      ...{ from: Math.min(...bills.map(({ from }) => from)), to: Math.max(...bills.map(({ to }) => to)) },
      ...{ lines: lines.map(({ text }) => text).sort(), held: bills.flatMap(({ held }) => held).sort() },
      sections: isOfAll ? bills.toSorted((a, b) => a.customer - b.customer).map(sectionText) : [],
      ...{ subtotal: subtotal.toFixed(), tax: whole.minus(subtotal).toFixed() },
      due: max(whole.minus(this.credits), 0).toFixed(),
    });
    this.credits = max(this.credits.minus(whole), 0);
  }

  /** What waits for the invoice of its instant, which has all of that; `charged`: only where some of it is of these lines. */
  issueWaiting(charged?: Line[]): void {
    const isCharged = charged?.some(({ invoice }) => this.waiting.some((bill) => bill.invoice === invoice)) ?? true;
    if (this.waiting.length > 0 && isCharged) this.issue(this.waiting.splice(0), true);
  }

  private textOf({ type, metric, key, count, amount }: Line, customer: number): string {
    const own = customer === this.customer ? '' : `of ${customer}: `;
    return `${own}${type} ${metric} ${type.endsWith('usage') ? `${key} ${count}` : ''} ${amount.toFixed()}`;
  }
}

function sectionText({ customer, kind, from, to, lines }: Bill): string {
  return `${customer} ${kind} ${from} ${to} ${total(lines).toFixed()}`;
}

/** With tax. */
function leftOf({ payer, charges, gone }: Invoice): Amount {
  return max(payer.withTax(charges).minus(gone), 0);
}

/** What a deal bills and gives back: discounts, and what waits for the next invoice (spec/discounts). */
export class Bills {
  payer: Payer;
  /** Whether a call bills now: what time makes due is with others. */
  isCall = false;
  readonly credits: string[] = [];
  /** What waits for the next invoice, and what has no price. */
  readonly pending: Line[] = [];
  readonly held: string[] = [];
  private readonly customer: number;
  private readonly deal: Deal;
  /** How many invoices each discount may still lower. */
  private readonly periods: number[];

  constructor(deal: Deal, payer: Payer) {
    [this.deal, this.payer, this.customer] = [deal, payer, payer.customer];
    this.periods = deal.discounts.map(({ periods }) => periods ?? Infinity);
  }

  /** Who pays from now on. */
  moveTo(payer: Payer): void {
    this.payer.others -= this.payer.customer === this.customer ? 0 : 1;
    payer.others += payer.customer === this.customer ? 0 : 1;
    this.payer = payer;
  }

  /** A bill of lines, and of what waits where it is no switch's own; `isDueOnly`: none where nothing is due. */
  issue(kind: string, [from, to]: [number, number], own: Line[], isDueOnly = false): void {
    const { payer, customer } = this;
    const isOwn = kind === 'proration';
    const lines = [...(isOwn ? [] : this.pending), ...own].toSorted(
      (a, b) => TYPES.indexOf(a.type) - TYPES.indexOf(b.type),
    );
    const held = isOwn ? [] : this.held.splice(0);
    if (isDueOnly && lines.every(({ amount }) => amount.isZero())) return;
    if (!isOwn) this.pending.splice(0);
    const all = [...lines, ...this.discount(lines, isOwn)];
    const charges = total(all.filter(({ type, amount }) => amount.gt(0) || type === 'true_up' || type === 'discount'));
    const invoice = { payer, charges, gone: exact() };
    for (const one of lines) one.invoice = invoice;
    const bill = { customer, kind, from, to, lines: all, held, invoice };
    if (this.isCall || payer.others === 0) payer.issue([bill]);
    else payer.waiting.push(bill);
  }

  /** Each takes of what those before it have left of the lines that all are about; each line has its share of it. */
  private discount(lines: Line[], isOwn: boolean): Line[] {
    const { round } = this.payer;
    const { discounts, discountedTypes: types } = this.deal;
    const meant = lines.filter(({ type }) => types === null || types.some((one) => one === type));
    const leftOf = (one: Line) => (one.isBack ? exact() : one.amount).minus(one.off);
    const taken = discounts.map(({ off }, i) => {
      const acts = (this.periods[i] ?? 0) > 0;
      // An amount leaves what was credited already, and what percentages behind it take of that.
      const behind = this.percents((j) => j > i && (this.periods[j] ?? 0) > 0);
      const keeps = sum(meant.map(({ gone }) => gone)).gte(0);
      const openOf = (one: Line) =>
        'percent' in off || behind.isZero() || !keeps ? leftOf(one) : leftOf(one).minus(one.gone.div(behind));
      const open = acts ? sum(meant.map(openOf)) : exact();
      const most = max(round(open), 0);
      const amount = 'percent' in off ? round(most.times(off.percent).div(100)) : min(isOwn ? 0 : off.amount, most);
      let [running, shared] = [exact(), exact()];
      for (const one of amount.isZero() ? [] : meant) {
        running = running.plus(openOf(one));
        const share = round(amount.times(running).div(open)).minus(shared);
        shared = shared.plus(share);
        one.off = one.off.plus(share);
      }
      if (!isOwn && amount.gt(0)) this.periods[i] = (this.periods[i] ?? 0) - 1;
      return amount;
    });
    const share = this.percentsLeft((i) => taken[i]?.gt(0) ?? false);
    for (const one of lines) one.share = share;
    return taken.filter((one) => one.gt(0)).map((one) => line('discount', '', one.negated()));
  }

  /** Which part of a fee the percentages that act leave: by themselves those of now. */
  percentsLeft(acts = (i: number) => (this.periods[i] ?? 0) > 0): Amount {
    const { discountedTypes: types } = this.deal;
    return types !== null && !types.includes('recurring_fee') ? exact(1) : this.percents(acts);
  }

  private percents(acts: (i: number) => boolean): Amount {
    const percents = this.deal.discounts.map(({ off }, i) => (acts(i) && 'percent' in off ? off.percent : 0));
    return percents.reduce<Amount>((left, percent) => left.times(exact(100).minus(percent)).div(100), exact(1));
  }

  /**
   * Credits of each invoice at most what lines have charged on it, nor more than is left of it, the latest first, to who was billed; at last of what is
   * on none. Answers what it was.
   */
  creditCharged(wanted: Amount, charged: Line[]): { given: Amount; ofNone: Amount } {
    let [given, ofNone] = [exact(), exact()];
    for (const [invoice, lines] of Map.groupBy(charged.toReversed(), (one) => one.invoice)) {
      const { payer } = invoice ?? this;
      const back = max(min(net(lines), wanted.minus(given)), 0);
      const whole = min(payer.withTax(back), invoice ? leftOf(invoice) : Infinity);
      if (invoice) invoice.gone = invoice.gone.plus(whole);
      const part = whole.lt(payer.withTax(back)) ? payer.withoutTax(whole) : back;
      if (!invoice) ofNone = part;
      given = given.plus(part);
      payer.credits = payer.credits.plus(whole);
    }
    if (given.gt(0)) this.credits.push(given.toFixed());
    return { given, ofNone };
  }

  /** Takes back by a line of another invoice what a charge's own has left, at most what is `wanted`. Answers what it was. */
  takeBack(charge: Line, invoice: Invoice, wanted: Amount): Amount {
    const { payer } = invoice;
    const own = min(wanted, net([charge]), payer.withoutTax(leftOf(invoice)));
    invoice.gone = invoice.gone.plus(payer.withTax(own));
    return own;
  }

  /** Of charges that wait the latest is credited first, of each what percentages leave, then in arrears the fee to come. */
  spread(credited: Amount, waiting: Line[], isAhead: boolean): { ofLines: Amount; ofFee: Amount } {
    let left = credited;
    for (const one of waiting.toReversed()) {
      const own = min(left, max(this.payer.round(one.amount.times(this.percentsLeft())).minus(one.gone), 0));
      one.gone = one.gone.plus(own);
      left = left.minus(own);
    }
    const [first] = waiting;
    if (isAhead && first) [first.gone, left] = [first.gone.plus(left), exact()];
    return { ofLines: credited.minus(left), ofFee: left };
  }
}
