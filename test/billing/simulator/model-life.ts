import { fraction, toUnits } from './fractions.ts';
import type { Entry, InvoiceEntry, Life, LifeEvent, Move } from './life.ts';
import { dayAt, textOfDay } from './model-calendar.ts';
import { type ModelPeriod, ModelSubscription, type ModelWaiting } from './model-subscription.ts';
import { amountsEntry, type ModelAmounts, type ModelLine, ModelWallet, sumOfParts } from './model-wallet.ts';

type Due = { what: 'begins' | 'ends' | 'is invoiced'; at: number; rank: number; subscription: ModelSubscription };
type Part = { kind: string; subscription: ModelSubscription; period: ModelPeriod; lines: ModelLine[] };

/** What should come of a life: the contract's rules, told as simply as they can be, without billing/. */
export function modelLife(life: Life): Entry[] {
  return new ModelLife(life).live();
}

class ModelLife {
  private life: Life;
  private wallet: ModelWallet;
  private subscriptions: ModelSubscription[];
  private events: LifeEvent[] = [];
  private entries: Entry[] = [];
  private zone: string;
  private taxRate: string;
  private billsLate = true;
  /** Lines for the customer's next invoice. */
  private pending: ModelLine[] = [];

  constructor(life: Life) {
    this.life = life;
    this.wallet = new ModelWallet(life.places);
    this.subscriptions = life.subscriptions.map((script) => new ModelSubscription(life, script));
    this.zone = life.zone;
    this.taxRate = life.taxRate;
  }

  live(): Entry[] {
    for (const move of this.life.moves) {
      this.passTime(move.at);
      const outcome = this.move(move);
      if (outcome !== undefined) {
        this.entries.push({ entry: 'move', at: move.at, do: move.do, outcome: outcome ? 'done' : 'refused' });
      }
    }
    this.passTime(this.life.endsAt);
    this.look(this.life.endsAt);
    return this.entries;
  }

  private passTime(until: number): void {
    for (;;) {
      const [next] = this.subscriptions.flatMap((subscription) => this.dueOf(subscription)).sort(byTime);
      if (!next || next.at > until) return;
      if (next.what === 'begins') this.activate(next);
      else if (next.what === 'ends') next.subscription.end(this.zone, this.graceOver(next.at));
      else this.invoice(next);
    }
  }

  private dueOf(subscription: ModelSubscription): Due[] {
    const { state, period, waiting } = subscription;
    const due: Due[] = [];
    if (state === 'pending') due.push({ what: 'begins', at: period.from, rank: 1, subscription });
    if (state === 'active') due.push({ what: 'ends', at: period.to, rank: 0, subscription });
    if (waiting) due.push({ what: 'is invoiced', at: waiting.at, rank: 0, subscription });
    return due;
  }

  private graceOver(end: number): number {
    return end + this.life.graceSeconds * 1000;
  }

  private activate({ at, subscription }: Due): void {
    subscription.state = 'active';
    const part = this.openingOf(subscription);
    if (!part) return;
    this.issue({ ...part, lines: subscription.lines(null, subscription.period, [], true) }, at);
  }

  /** Nothing above 0 but what is charged once: no opening invoice. */
  private openingOf(subscription: ModelSubscription): Part | null {
    const lines = subscription.lines(null, subscription.period, [], false);
    const regular = lines.filter(({ addon }) => addon !== 'addon_one_time');
    if (regular.reduce((total, { units }) => total + units, 0n) <= 0n) return null;
    return { kind: 'opening', subscription, period: subscription.period, lines };
  }

  private invoice({ at, subscription }: Due): void {
    const { waiting } = subscription;
    if (!waiting) return;
    const part = this.partOf(subscription, waiting, { writes: true, isFirst: true, told: new Set() });
    this.pending = [];
    subscription.waiting = null;
    subscription.keepBilled(part.period, this.events);
    subscription.keepRate(part.period, this.issue(part, at));
  }

  /** `told`: those whose late usage is on another part. */
  private partOf(
    subscription: ModelSubscription,
    waiting: ModelWaiting | null,
    { writes, isFirst, told }: { writes: boolean; isFirst: boolean; told: Set<ModelSubscription> },
  ): Part {
    const { period, next } = waiting ?? {
      period: subscription.period,
      next: subscription.renews ? subscription.following(this.zone) : null,
    };
    const lines = waiting
      ? subscription.linesOfEnded(waiting, this.events)
      : subscription.lines(period, next, this.events, writes);
    const ours = this.subscriptions.filter((one) => {
      return !told.has(one) && (one === subscription || (isFirst && one.state === 'expired'));
    });
    for (const one of ours) told.add(one);
    const late = ours.flatMap((one) => one.lateLines(this.events, writes));
    const kind = next ? 'period' : 'closing';
    return {
      kind,
      subscription,
      period,
      lines: [...lines, ...(isFirst ? this.pending : []), ...(this.billsLate ? late : [])],
    };
  }

  /** Answers the tax rate of the invoice. */
  private issue(part: Part, at: number): string {
    const today = dayAt(at, this.zone);
    const amounts = this.wallet.amounts(part.lines, this.taxRate, today);
    const { id, rate } = this.wallet.issue(amounts, at);
    this.entries.push({ entry: 'invoice', at, id, issued: textOfDay(today), ...this.invoiceEntry(part, amounts) });
    return rate;
  }

  private invoiceEntry({ kind, subscription, period }: Part, amounts: ModelAmounts): InvoiceEntry {
    const { subscriptionId } = subscription.script;
    const entry = amountsEntry(amounts, this.life.places);
    return { kind, subscription: subscriptionId, from: period.from, to: period.to, ...entry };
  }

  /** The draft, then all records. */
  private look(at: number): void {
    const today = dayAt(at, this.zone);
    const left = this.wallet.left();
    const parts = this.draftParts().map((part) => {
      const amounts = this.wallet.amounts(part.lines, this.taxRate, today, left);
      for (const { credit, units } of amounts.uses) left.set(credit, (left.get(credit) ?? 0n) - units);
      // What a negative one leaves pays for those after it.
      const credit = { id: '~', amount: amounts.over, left: amounts.over, expires: null, voided: false };
      if (amounts.over > 0n) left.set({ ...credit, at: Number.MAX_SAFE_INTEGER }, amounts.over);
      return { part, amounts };
    });
    const whole = amountsEntry(sumOfParts(parts.map(({ amounts }) => amounts)), this.life.places);
    const entries = parts.map(({ part, amounts }) => this.invoiceEntry(part, amounts));
    this.entries.push({ entry: 'draft', at, parts: entries, ...whole });
    this.entries.push({ entry: 'records', at, ...this.wallet.records(today) });
  }

  private draftParts(): Part[] {
    const upcoming = this.subscriptions
      .flatMap((subscription) => this.dueOf(subscription))
      .map((due) => (due.what === 'ends' ? { ...due, at: this.graceOver(due.at) } : due))
      .sort(byTime);
    const first = upcoming.find(({ what }) => what !== 'begins');
    const told = new Set<ModelSubscription>();
    return upcoming.flatMap((due) => {
      const { what, subscription } = due;
      if (what === 'begins') return this.openingOf(subscription) ?? [];
      const waiting = what === 'is invoiced' ? subscription.waiting : null;
      return this.partOf(subscription, waiting, { writes: false, isFirst: due === first, told });
    });
  }

  /** True where it was done, false where it was refused, undefined where it cannot be. */
  private move(move: Move): boolean | undefined {
    const { wallet } = this;
    const { at } = move;
    const today = dayAt(at, this.zone);
    switch (move.do) {
      case 'look':
        return void this.look(at);
      case 'track':
        return void this.events.push(move.event);
      case 'setTax':
        this.taxRate = move.rate;
        return;
      case 'setZone':
        this.zone = move.zone;
        return;
      case 'setLateUsage':
        this.billsLate = move.policy === 'next_invoice';
        return;
      case 'grant':
        return void wallet.give(this.units(move.amount), move.days === null ? null : today + move.days, at);
      case 'voidCredit':
        return wallet.changeCredit(move.which, today, { voided: true, left: 0n });
      case 'moveExpiry':
        return wallet.changeCredit(move.which, today, { expires: move.days === null ? null : today + move.days });
      case 'refund': {
        const asked = move.amount === null ? null : this.units(move.amount);
        return wallet.refund(move.which, asked, move.method === 'bank_transfer', at);
      }
      case 'settle':
        return wallet.settle(move.which, move.trigger);
      case 'pay':
      case 'void':
      case 'giveUp':
        return wallet[move.do](move.which);
      default:
        return this.changeSubscription(move);
    }
  }

  private changeSubscription(move: Extract<Move, { subscription: number }>): boolean {
    const subscription = this.subscriptions[move.subscription];
    if (!subscription || subscription.state === 'expired') return false;
    if (move.do === 'endRenewal') {
      subscription.renews = false;
      return true;
    }
    if (move.do === 'prepay') return this.prepay(subscription, move);
    const addon = this.life.addons[move.addon];
    if (!addon) return false;
    if (move.do === 'detach') return subscription.detach(addon, move.at, this.zone);
    subscription.attach(addon, move.quantity, move.at, this.zone);
    return true;
  }

  private prepay(
    subscription: ModelSubscription,
    { at, metric, units, now }: Extract<Move, { do: 'prepay' }>,
  ): boolean {
    const change = subscription.prepay(metric, units, at, this.zone, this.events);
    if (change === null) return false;
    const { line, period, component } = change;
    if (line.units < 0n) {
      const key = (one: ModelLine) => {
        return ['prepaid_units', 'proration'].includes(one.type) && one.metric === metric && one.from === period.from;
      };
      const issued = this.wallet.invoices
        .filter(({ status }) => status !== 'void')
        .map((invoice) => ({ invoice, ours: invoice.lines.filter(key) }))
        .flatMap(({ invoice, ours }) => (ours.length > 0 ? [{ invoice, units: sumOf(ours) }] : []));
      const waiting = { units: sumOf(this.pending.filter(key)), rate: this.taxRate };
      const earlier = subscription.credited(component, period);
      const given = this.wallet.creditProration(-line.units, issued, waiting, earlier, at);
      subscription.keepCredited(component, period, given);
    }
    if (line.units > 0n && now) this.issue({ kind: 'proration', subscription, period, lines: [line] }, at);
    else if (line.units > 0n) this.pending.push(line);
    return true;
  }

  private units(amount: string): bigint {
    return toUnits(fraction(amount), this.life.places);
  }
}

function sumOf(lines: readonly ModelLine[]): bigint {
  return lines.reduce((total, { units }) => total + units, 0n);
}

function byTime(a: Due, b: Due): number {
  return (
    a.at - b.at ||
    a.rank - b.rank ||
    (a.subscription.script.subscriptionId < b.subscription.script.subscriptionId ? -1 : 1)
  );
}
