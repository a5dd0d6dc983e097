import { type Deal, type DealOutcome, PLACES } from './deal.ts';
import { type Amount, exact, type Line, line, max, min, net, sum, total } from './model-usage.ts';

const TYPES = ['recurring_fee', 'prepaid_units', 'usage', 'addon', 'proration', 'late_usage', 'true_up'];

function textOf({ type, metric, key, count, amount }: Line): string {
  return `${type} ${metric} ${type.endsWith('usage') ? `${key} ${count}` : ''} ${amount.toFixed()}`;
}

/** What a customer is billed and given back: discounts, tax, credits (spec/discounts, spec/invoices, spec/credits#given-back-once). */
export class Account {
  readonly outcome: DealOutcome = { invoices: [], credits: [] };
  /** What waits for the next invoice, and what has no price. */
  readonly pending: Line[] = [];
  readonly held: string[] = [];
  private readonly deal: Deal;
  private credits: Amount;
  /** How many invoices each discount may still lower. */
  private readonly periods: number[];

  constructor(deal: Deal) {
    this.deal = deal;
    this.credits = exact(deal.credit);
    this.periods = deal.discounts.map(({ periods }) => periods ?? Infinity);
  }

  /** Half away from zero; behind 40 decimals is only what a division has left. */
  round = (amount: Amount): Amount => amount.dp(40).dp(PLACES[this.deal.currency]);
  withTax = (net: Amount): Amount => net.plus(this.round(net.times(this.deal.taxRate).div(100)));
  withoutTax = (whole: Amount): Amount => this.round(whole.times(100).div(exact(100).plus(this.deal.taxRate)));

  /** An invoice of lines, and of what waits where it is no switch's own; `isDueOnly`: none where nothing is due. */
  issue(kind: string, [from, to]: [number, number], own: Line[], isDueOnly = false): void {
    const isOwn = kind === 'proration';
    const lines = [...(isOwn ? [] : this.pending), ...own].toSorted(
      (a, b) => TYPES.indexOf(a.type) - TYPES.indexOf(b.type),
    );
    const held = isOwn ? [] : this.held.splice(0).sort();
    if (isDueOnly && lines.every(({ amount }) => amount.isZero())) return;
    if (!isOwn) this.pending.splice(0);
    const { taken, share } = this.discount(lines, isOwn);
    const all = [...lines, ...taken];
    const charges = total(all.filter(({ type, amount }) => type !== 'proration' || amount.gt(0)));
    const invoice = { left: max(this.withTax(charges), 0), share };
    for (const one of lines) one.invoice = invoice;
    const subtotal = total(all);
    const whole = this.withTax(subtotal);
    this.outcome.invoices.push({
      ...{ kind, from, to, held, subtotal: subtotal.toFixed(), tax: whole.minus(subtotal).toFixed() },
      lines: all.map(textOf).sort(),
      due: max(whole.minus(this.credits), 0).toFixed(),
    });
    // What is below nought is credit for those behind it.
    this.credits = max(this.credits.minus(whole), 0);
  }

  /** Each takes of what those before it have left of the lines that all are about; each line has its share of it. */
  private discount(lines: Line[], isOwn: boolean): { taken: Line[]; share: Amount } {
    const { discounts, discountedTypes: types } = this.deal;
    const meant = lines.filter(({ type }) => types === null || types.some((one) => one === type));
    const leftOf = (one: Line) => (one.isBack ? exact() : one.amount.minus(one.off));
    const taken = discounts.map(({ off }, i) => {
      const acts = (this.periods[i] ?? 0) > 0;
      // An amount leaves what was credited already, and what percentages behind it take of that.
      const behind = this.percents((j) => j > i && (this.periods[j] ?? 0) > 0);
      const openOf = (one: Line) =>
        'percent' in off || behind.isZero() ? leftOf(one) : leftOf(one).minus(one.gone.div(behind));
      const open = acts ? sum(meant.map(openOf)) : exact();
      const most = max(this.round(open), 0);
      const amount =
        'percent' in off ? this.round(most.times(off.percent).div(100)) : min(isOwn ? 0 : off.amount, most);
      let [running, shared] = [exact(), exact()];
      for (const one of amount.isZero() ? [] : meant) {
        running = running.plus(openOf(one));
        const share = this.round(amount.times(running).div(open)).minus(shared);
        shared = shared.plus(share);
        one.off = one.off.plus(share);
      }
      if (!isOwn && amount.gt(0)) this.periods[i] = (this.periods[i] ?? 0) - 1;
      return amount;
    });
    const share = this.percentsLeft((i) => taken[i]?.gt(0) ?? false);
    return { taken: taken.filter((one) => one.gt(0)).map((one) => line('discount', '', one.negated())), share };
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

  /** Credits of each invoice at most what lines have charged on it, nor more than is left of it, the latest first. Answers what it was. */
  creditCharged(wanted: Amount, charged: Line[]): Amount {
    let given = exact();
    for (const [invoice, lines] of Map.groupBy(charged.toReversed(), (one) => one.invoice)) {
      const back = max(min(net(lines), wanted.minus(given)), 0);
      const whole = min(this.withTax(back), invoice?.left ?? Infinity);
      if (invoice) invoice.left = invoice.left.minus(whole);
      given = given.plus(whole.lt(this.withTax(back)) ? this.withoutTax(whole) : back);
      this.credits = this.credits.plus(whole);
    }
    return given;
  }

  /** Of charges that wait the latest is credited first, of each what percentages leave, then in arrears the fee to come. */
  spread(credited: Amount, waiting: Line[], isAhead: boolean): { ofLines: Amount; ofFee: Amount } {
    let left = credited;
    for (const one of waiting.toReversed()) {
      const own = min(left, max(this.round(one.amount.times(this.percentsLeft())).minus(one.gone), 0));
      one.gone = one.gone.plus(own);
      left = left.minus(own);
    }
    const [first] = waiting;
    if (isAhead && first) [first.gone, left] = [first.gone.plus(left), exact()];
    return { ofLines: credited.minus(left), ofFee: left };
  }
}
