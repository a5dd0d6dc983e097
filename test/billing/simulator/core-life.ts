import type { UsageEvent } from '../../../billing/catalog/metrics.ts';
import { isPlannedCredit } from '../../../billing/credits/credits.ts';
import { sumOfInvoices } from '../../../billing/invoices/compute-draft.ts';
import { type ComputedInvoice, computeInvoice, computeInvoices } from '../../../billing/invoices/compute-invoice.ts';
import type { NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import { type Boundary, nextBoundary, STEP_RANK } from '../../../billing/periods/schedule.ts';
import { nextSubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import { type Decimal, decimal, sum, toPlain } from '../../../core/decimal.ts';
import { conflict, DomainError } from '../../../core/domain-error.ts';
import { type Instant, localDateAt } from '../../../core/instants.ts';
import { event } from '../fixtures.ts';
import { type CorePart, CoreSubscription } from './core-subscription.ts';
import { CoreWallet } from './core-wallet.ts';
import type { AmountsEntry, Entry, InvoiceEntry, Life, LineEntry, Move } from './life.ts';

type Due = { kind: Boundary['kind']; dueAt: Instant; rank: number; subscription: CoreSubscription };
type DraftPart = { subscription: CoreSubscription; part: CorePart };
/** `isPending`: the invoice of a period that is over. */
type Upcoming = { subscription: CoreSubscription; dueAt: Instant; isPending: boolean };

/** What comes of a life by the rules of billing/: each step loads, computes and saves as the service does, in memory. */
export function coreLife(life: Life): Entry[] {
  return new CoreLife(life).live();
}

class CoreLife {
  private life: Life;
  private wallet: CoreWallet;
  private subscriptions: CoreSubscription[];
  private events: UsageEvent[] = [];
  private entries: Entry[] = [];
  private zone: string;
  private taxRate: Decimal;
  private lateUsage: 'next_invoice' | 'ignore' = 'next_invoice';
  private pending: NewInvoiceLine[] = [];

  constructor(life: Life) {
    this.life = life;
    this.wallet = new CoreWallet(life.currency);
    this.subscriptions = life.subscriptions.map((script) => new CoreSubscription(life, script));
    this.zone = life.zone;
    this.taxRate = decimal(life.taxRate);
  }

  live(): Entry[] {
    for (const move of this.life.moves) {
      this.passTime(move.at);
      this.tryMove(move);
    }
    this.passTime(this.life.endsAt);
    this.look(this.life.endsAt);
    if (this.wallet.imbalance() !== '0') throw new Error(`the ledger is off by ${this.wallet.imbalance()}`);
    return this.entries;
  }

  private passTime(until: Instant): void {
    for (;;) {
      const [due] = this.inOrderOfDue();
      if (!due || due.dueAt > until) return;
      if (due.kind === 'activate') this.activate(due);
      else if (due.kind === 'close_period') due.subscription.end(this.zone, this.graceOver(due.dueAt));
      else this.invoice(due);
    }
  }

  private inOrderOfDue(): Due[] {
    return this.subscriptions
      .flatMap((subscription): Due[] => {
        const { status, isLive, period, pending } = subscription;
        const pendingInvoice = pending && { periodIndex: pending.period.index, dueAt: pending.dueAt };
        const nothingPlanned = { plannedCancel: null, plannedSwitch: null, resumesAt: null, billsAt: null };
        const openPeriod = isLive ? period : null;
        const boundary = nextBoundary({ ...nothingPlanned, status, openPeriod, pendingInvoice });
        if (boundary === null) return [];
        const { kind, dueAt } = boundary;
        return [{ kind, dueAt, rank: STEP_RANK[kind], subscription }];
      })
      .sort((a, b) => a.dueAt - b.dueAt || a.rank - b.rank || (a.subscription.id < b.subscription.id ? -1 : 1));
  }

  private activate({ dueAt, subscription }: Due): void {
    const part = subscription.opening();
    subscription.status = nextSubscriptionStatus(subscription.status, 'activate');
    if (!part) return;
    this.issue({ subscription, part }, dueAt);
    subscription.keepAddonsBilled(part.addons ?? []);
  }

  private graceOver(endsAt: Instant): Instant {
    return endsAt + this.life.graceSeconds * 1000;
  }

  private invoice({ dueAt, subscription }: Due): void {
    const { pending } = subscription;
    if (!pending) throw new Error('no invoice is pending');
    const [draft] = this.draft(dueAt, 1).parts;
    const charges = { ...subscription.pendingPart(pending, this.events), pending: this.pending };
    const late = this.withLate({ subscription, part: charges }, { withEnded: true, keeps: true });
    const { entry, taxRate } = this.issue(late, dueAt);
    this.pending = [];
    subscription.keepBilled(pending, charges.usages, { watermark: this.events.length, chargedRate: taxRate });
    // The draft right before the close is the invoice.
    if (draft && JSON.stringify(draft) !== JSON.stringify(entry)) {
      throw new Error(`the draft ${JSON.stringify(draft)} became the invoice ${JSON.stringify(entry)}`);
    }
  }

  /** `taken`: those whose late usage is on another part already. */
  private withLate(
    { subscription, part }: DraftPart,
    { taken = new Set(), ...how }: { withEnded: boolean; keeps: boolean; taken?: Set<CoreSubscription> },
  ): DraftPart {
    const ours = this.subscriptions.filter((one) => {
      return !taken.has(one) && (one === subscription || (how.withEnded && one.status === 'expired'));
    });
    for (const one of ours) taken.add(one);
    const late = ours.flatMap((one) => one.late(this.events, how.keeps));
    return { subscription, part: { ...part, late: this.lateUsage === 'ignore' ? [] : late } };
  }

  private issue({ subscription, part }: DraftPart, at: Instant): { entry: InvoiceEntry; taxRate: Decimal } {
    const { currency } = this.life;
    const { taxRate, wallet } = this;
    const now = this.now(at);
    const computed = computeInvoice({ ...part, currency, taxRate, credits: wallet.credits, today: now.today });
    const id = wallet.issue(computed, now);
    const entry = invoiceEntry(computed, subscription);
    this.entries.push({ entry: 'invoice', at, id, issued: now.today, ...entry });
    return { entry, taxRate: computed.taxRate };
  }

  /** Of the subscriptions that close next, so many; closing later, the others change nothing of the first ones. */
  private draft(at: Instant, many: number) {
    const upcoming = this.upcoming().slice(0, many);
    const first = upcoming.find(({ subscription, isPending }) => isPending || subscription.status === 'active');
    const taken = new Set<CoreSubscription>();
    const parts = upcoming.flatMap((due): DraftPart[] => {
      const { subscription, isPending } = due;
      if (subscription.status === 'pending') {
        const part = subscription.opening();
        return part ? [{ subscription, part }] : [];
      }
      const charges =
        isPending && subscription.pending
          ? subscription.pendingPart(subscription.pending, this.events)
          : subscription.closing(this.events, this.zone);
      const part = { ...charges, pending: due === first ? this.pending : [] };
      return [this.withLate({ subscription, part }, { withEnded: due === first, keeps: false, taken })];
    });
    const { currency } = this.life;
    const { taxRate, wallet } = this;
    const { today } = this.now(at);
    const terms = { currency, taxRate, today, credits: wallet.credits };
    const drafted = [...computeInvoices({ ...terms, parts: parts.map(({ part }) => part) })];
    const entries = drafted.flatMap((computed, i) => {
      const subscription = parts[i]?.subscription;
      return subscription ? [invoiceEntry(computed, subscription)] : [];
    });
    return { parts: entries, whole: sumOfInvoices(drafted, terms) };
  }

  /** What will be invoiced next, in order: what is pending, and the next boundaries of what lives. */
  private upcoming(): Upcoming[] {
    return this.subscriptions
      .flatMap((subscription): Upcoming[] => {
        const { pending, isLive, status, period } = subscription;
        const dueAt = status === 'pending' ? period.startsAt : this.graceOver(period.endsAt);
        return [
          ...(pending ? [{ subscription, dueAt: pending.dueAt, isPending: true }] : []),
          ...(isLive ? [{ subscription, dueAt, isPending: false }] : []),
        ];
      })
      .sort((a, b) => {
        const isOpening = ({ isPending, subscription }: Upcoming) => !isPending && subscription.status === 'pending';
        const byRank = Number(isOpening(a)) - Number(isOpening(b));
        return a.dueAt - b.dueAt || byRank || (a.subscription.id < b.subscription.id ? -1 : 1);
      });
  }

  private look(at: Instant): void {
    const { parts, whole } = this.draft(at, Number.POSITIVE_INFINITY);
    this.entries.push({ entry: 'draft', at, parts, ...amountsEntry(whole) });
    this.entries.push({ entry: 'records', at, ...this.wallet.records(this.now(at).today) });
  }

  private tryMove(move: Move): void {
    const { at } = move;
    try {
      if (this.setting(move)) return;
      this.move(move);
      this.entries.push({ entry: 'move', at, do: move.do, outcome: 'done' });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.entries.push({ entry: 'move', at, do: move.do, outcome: 'refused' });
    }
  }

  /** What cannot be refused; true where it was one of these. */
  private setting(move: Move): boolean {
    if (move.do === 'look') this.look(move.at);
    else if (move.do === 'setTax') this.taxRate = decimal(move.rate);
    else if (move.do === 'setZone') this.zone = move.zone;
    else if (move.do === 'setLateUsage') this.lateUsage = move.policy;
    else if (move.do === 'grant') this.wallet.grant(decimal(move.amount), move.days, this.now(move.at));
    else if (move.do === 'track') {
      const { eventName, time: timeCreated, value } = move.event;
      this.events.push(event(value === null ? {} : { v: { number: value } }, { eventName, timeCreated }));
    } else return false;
    return true;
  }

  private move(move: Move): void {
    const { wallet } = this;
    const now = this.now(move.at);
    if ('subscription' in move) this.changeSubscription(move);
    else if (move.do === 'voidCredit') wallet.voidCredit(move.which, now);
    else if (move.do === 'moveExpiry') wallet.moveExpiry(move.which, move.days, now);
    else if (move.do === 'settle') wallet.settle(move.which, move.trigger, now);
    else if (move.do === 'refund') {
      wallet.refund(move.which, move.amount === null ? undefined : decimal(move.amount), move.method, now);
    } else if (move.do === 'pay' || move.do === 'void' || move.do === 'giveUp') wallet[move.do](move.which, now);
  }

  private changeSubscription(move: Extract<Move, { subscription: number }>): void {
    const subscription = this.subscriptions[move.subscription];
    if (!subscription?.isLive) throw conflict('The subscription has ended.');
    if (move.do === 'endRenewal') {
      subscription.autoRenew = false;
      return;
    }
    if (move.do === 'prepay') {
      this.prepay(subscription, move);
      return;
    }
    const addon = this.life.addons[move.addon];
    if (!addon) throw new Error('no such add-on');
    if (move.do === 'attach') subscription.attach(addon, move.quantity, move.at, this.zone);
    else if (!subscription.detach(addon, move.at, this.zone)) throw conflict('The add-on is not attached.');
  }

  private prepay(subscription: CoreSubscription, { at, metric, units, now }: Extract<Move, { do: 'prepay' }>): void {
    const change = subscription.prepaidChange(metric, units, at, this.zone, this.events);
    const { startsAt: periodStart, endsAt: periodEnd } = change.period;
    const pending = this.pending.filter((line) => line.metricId === metric && line.periodStart === periodStart);
    const waiting = { pending: sum(pending.map(({ amount }) => amount)), rateOfNow: this.taxRate };
    const { line, back } = subscription.prepay(change, this.wallet.chargedUnits(metric, periodStart), waiting);
    for (const part of back) this.wallet.creditProration(part, this.now(at));
    if (line === null) return;
    const empty = { fees: [], prepaid: [], usages: [] };
    const part = { ...empty, kind: 'proration' as const, periodStart, periodEnd, pending: [line] };
    if (now) this.issue({ subscription, part }, at);
    else this.pending.push(line);
  }

  private now(at: Instant) {
    return { at, today: localDateAt(at, this.zone) };
  }
}

function invoiceEntry(computed: ComputedInvoice, { id }: CoreSubscription): InvoiceEntry {
  const { kind, periodStart, periodEnd } = computed;
  if (periodStart === null || periodEnd === null) throw new Error('an invoice without a period');
  return { kind, subscription: id, from: periodStart, to: periodEnd, ...amountsEntry(computed) };
}

function amountsEntry(computed: ComputedInvoice): AmountsEntry {
  const { lines, subtotal, taxAmount, total, creditsApplied, amountDue, overpayment, status } = computed;
  return {
    lines: lines.map(lineEntry),
    subtotal: toPlain(subtotal),
    tax: toPlain(taxAmount),
    total: toPlain(total),
    credits: toPlain(creditsApplied),
    due: toPlain(amountDue),
    overpayment: toPlain(overpayment),
    status,
  };
}

function lineEntry(line: NewInvoiceLine): LineEntry {
  const plain = (x: Decimal | null) => x && toPlain(x);
  return {
    type: line.type,
    subscription: line.subscriptionId,
    metric: line.metricId,
    addon: line.addonId,
    // One that is not there yet has no id: the model calls it so.
    credit: line.creditId !== null && isPlannedCredit(line.creditId) ? '~' : line.creditId,
    from: line.periodStart,
    to: line.periodEnd,
    quantity: plain(line.quantity),
    billable: plain(line.billableQuantity),
    unitPrice: plain(line.unitPrice),
    amount: toPlain(line.amount),
    tiers: line.tiers.map(({ quantity, amount }) => [toPlain(quantity), toPlain(amount)]),
    events: plain(line.eventsCount),
  };
}
