import { creditOfDowngrade } from '../../../billing/credits/proration-credits.ts';
import { type BoundaryCharges, type BoundaryInput, joinCharges } from '../../../billing/invoices/boundary-charges.ts';
import { chargedLines, computeInvoice } from '../../../billing/invoices/compute-invoice.ts';
import type { InvoiceKind, NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import { emptyLine, prepaidLine, prorationLine } from '../../../billing/invoices/invoice-lines.ts';
import { openingPart } from '../../../billing/invoices/opening-invoice.ts';
import { decidePause, resumedPauses } from '../../../billing/periods/pauses.ts';
import { nextBoundary } from '../../../billing/periods/schedule.ts';
import { type SegmentedPeriod, switchesIn } from '../../../billing/periods/segments.ts';
import { decideCancel, type Ending, endingAt, prorationCredits } from '../../../billing/subscriptions/cancel.ts';
import { openingInput } from '../../../billing/subscriptions/closing-boundaries.ts';
import { closedBySwitch, switchCharges } from '../../../billing/subscriptions/inheritance.ts';
import { isLive, nextSubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import {
  decideSwitch,
  type SwitchParties,
  type SwitchRequest,
  successionOf,
  switchAfterPause,
  switchEnding,
  withPlannedCancel,
} from '../../../billing/subscriptions/switch.ts';
import { type Decimal, decimal, roundHalfAwayFromZero, toPlain } from '../../../core/decimal.ts';
import { DomainError } from '../../../core/domain-error.ts';
import { type Instant, localDateAt } from '../../../core/instants.ts';
import { paidAhead } from './core-paid-ahead.ts';
import { CoreSwitcher, dayOf, instantOn, ZONE } from './core-switcher.ts';
import { CoreWallet } from './core-wallet.ts';
import type { SwitchLife } from './switch-life.ts';

/** Which acts were done, and what the life has cost in the end, with the tax on it, in cents as text. */
export type CoreOutcome = { done: boolean[]; cents: string; taxCents: string };

type Act = SwitchLife['acts'][number];
type Billing = { kind: 'period' | 'closing'; making: 'scheduled' | 'where_due'; begin?: () => BoundaryCharges | null };

const CURRENCY = 'USD';
const PLACES = 2;
const NOTHING = { fees: [], prepaid: [], usages: [] };

/** What comes of a life that switches by the rules of billing/: each step computes and saves as the service does, in memory. */
export function coreSwitchLife(life: SwitchLife): CoreOutcome {
  return new CoreSwitchLife(life).live();
}

export class CoreSwitchLife {
  private life: SwitchLife;
  readonly taxRate: Decimal;
  readonly held: CoreSwitcher;
  readonly wallet = new CoreWallet(CURRENCY);
  readonly pending: NewInvoiceLine[] = [];
  private isClosed = false;

  constructor(life: SwitchLife) {
    this.life = life;
    this.taxRate = decimal(life.taxRate ?? 0);
    this.held = new CoreSwitcher(life);
  }

  live(): CoreOutcome {
    this.passTime(instantOn(0));
    const done = this.life.acts.map((act) => {
      this.passTime(instantOn(act.at));
      return this.tryAct(act);
    });
    this.passTime(instantOn((this.life.acts.at(-1)?.at ?? 0) + 100));
    if (this.wallet.imbalance() !== '0') throw new Error(`the ledger is off by ${this.wallet.imbalance()}`);
    const { revenue, tax_payable: tax } = this.wallet.records(dayOf(instantOn(0))).ledger;
    const taxed = decimal(tax ?? 0).negated();
    return { done, cents: toCents(decimal(revenue ?? 0).negated()), taxCents: toCents(taxed) };
  }

  passTime(until: Instant): void {
    for (;;) {
      const { subscription } = this.held;
      const openPeriod = this.isClosed ? null : subscription.currentPeriod;
      const resumesAt = subscription.paused?.resumesAt ?? null;
      const next = nextBoundary({ ...subscription, openPeriod, pendingInvoice: null, resumesAt });
      if (next === null || next.dueAt > until) return;
      if (next.kind === 'activate') this.activate();
      else if (next.kind === 'close_period') this.closePeriod();
      else if (next.kind === 'switch') this.switchTo(this.held.planned(), next.dueAt);
      else if (next.kind === 'cancel' && subscription.plannedCancel)
        this.cancel(next.dueAt, subscription.plannedCancel);
      else if (next.kind === 'bill_waiting') this.billPending(next.dueAt);
      else throw new Error(`a ${next.kind} is due`);
    }
  }

  tryAct(act: Act): boolean {
    try {
      this.act(act, instantOn(act.at));
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return false;
    }
  }

  private act(act: Act, at: Instant): void {
    const { subscription } = this.held;
    if (act.do === 'pause') {
      const status = decidePause(subscription.status, null, at);
      this.held.pauses.push({ pausedAt: at, pausedOn: dayOf(at), resumedAt: null, resumedOn: null });
      this.held.change({ status, paused: { at, resumesAt: null } });
    } else if (act.do === 'resume') this.resume(at);
    else if (act.do === 'cancel') {
      const terms = {
        flatFeeBehavior: act.fee,
        billUsage: true,
        invoicingBehavior: act.invoicing ?? 'add_to_next_invoice',
      };
      const cancelAt = act.inDays ? dayOf(instantOn(Math.floor(act.at) + act.inDays)) : 'immediately';
      const decision = decideCancel(subscription, { ...terms, cancelAt }, { at, timeZone: ZONE });
      if (decision.kind === 'now') this.cancel(at, terms);
      else if (decision.kind === 'planned') {
        this.held.subscription = withPlannedCancel(subscription, decision.cancel);
      }
    } else if (act.do === 'attach') this.attach(act.addon);
    else this.askSwitch(act, at);
  }

  private attach(addon: number): void {
    if (this.held.subscription.status !== 'active') throw new DomainError('conflict', 'not active');
    const id = `addon_${addon}`;
    const price = decimal(this.life.addons?.[addon] ?? 0).shiftedBy(-2);
    const once = { kind: 'one_time', quantity: 1, from: 0, to: null, billedTo: null } as const;
    this.held.addons.push({ ...once, addonId: id, name: id, addonSubscriptionId: id, price });
  }

  private askSwitch(act: Extract<Act, { do: 'switch' | 'withdraw' }>, at: Instant): void {
    const { subscription, plans } = this.held;
    const request = requestOf(act);
    const newPlan = plans.find(({ planId }) => planId === request.newPlanId);
    const subject = { subscription, currency: CURRENCY, newPlan, heldPlanIds: [] };
    const decision = decideSwitch(subject, request, { at, timeZone: ZONE });
    if (decision.kind === 'now') this.switchTo({ plan: decision.plan, request }, at);
    else if (decision.kind === 'withdrawn') this.held.change({ plannedSwitch: null });
    else this.held.change({ plannedSwitch: decision.switch });
  }

  private activate(): void {
    this.held.change({ status: nextSubscriptionStatus(this.held.subscription.status, 'activate') });
    const charges = this.opening();
    if (charges) this.issue('opening', charges, this.held.subscription.currentPeriod.startsAt);
  }

  /** As `beginSuccessor` has what is due at the very start. */
  private opening() {
    return openingPart(openingInput(this.held.subscription, this.held.rules(this.wallet)), { currency: CURRENCY });
  }

  /** As `issuePeriodInvoice` and `rollPausedPeriod`. */
  private closePeriod(): void {
    const { subscription, pauses } = this.held;
    const { currentPeriod, status, plannedSwitch, plannedCancel } = subscription;
    const at = currentPeriod.endsAt;
    const isLast = plannedCancel !== null && plannedCancel.at <= at;
    const ending = isLast ? endingAt(at, plannedCancel, currentPeriod) : null;
    const next = ending ? null : this.held.following();
    if (status === 'paused' && next !== null) {
      this.held.unbilled.push(currentPeriod);
      this.held.change({ currentPeriod: next });
      return;
    }
    const boundaries = this.held.boundaries({ pauses, ending, closes: true }, this.wallet);
    const switched = !ending && plannedSwitch?.at === at ? this.held.planned() : null;
    if (ending) this.creditProration(boundaries.at(-1), ending, at);
    const begin = () => {
      if (!switched) return null;
      this.held.replace(switched.plan, at, switched.request.usageBehavior);
      return this.opening();
    };
    boundaries.forEach((boundary, i) => {
      const isCurrent = i === boundaries.length - 1;
      const kind = isCurrent && ending ? 'closing' : 'period';
      const of = isCurrent && switched ? { ...boundary, next: null } : boundary;
      this.bill(of, at, { kind, making: status === 'paused' ? 'where_due' : 'scheduled', ...(isCurrent && { begin }) });
    });
    this.held.unbilled = [];
    if (switched) return;
    if (next) this.held.change({ currentPeriod: next });
    else this.end(at, null);
  }

  /** As `resume`. */
  private resume(at: Instant): void {
    const { subscription, pauses } = this.held;
    const status = nextSubscriptionStatus(subscription.status, 'resume');
    this.held.pauses = resumedPauses(pauses, { at, on: dayOf(at) });
    this.held.change({ status, paused: null, plannedSwitch: switchAfterPause(subscription, at) });
    const boundaries = this.held.boundaries({ pauses: this.held.pauses, ending: null, closes: false }, this.wallet);
    for (const boundary of boundaries) this.bill(boundary, at, { kind: 'period', making: 'where_due' });
    this.held.unbilled = [];
    // A switch that fell due in the pause happens with the resume, before any later call.
    this.passTime(at);
  }

  /** As `saveSwitch`. */
  private switchTo({ plan, request }: { plan: Plan; request: SwitchRequest }, at: Instant): void {
    const { subscription: old, pauses } = this.held;
    if (successionOf(old, plan, at) === 'closes') {
      const ending = switchEnding(at, old.currentPeriod);
      const [boundary] = this.held.boundaries({ pauses, ending, closes: true }, this.wallet);
      if (!boundary) throw new Error('a switch ends one period');
      this.creditProration(boundary, ending, at);
      const closed = closedBySwitch(boundary, { nextPlan: plan, usageBehavior: request.usageBehavior });
      const begin = () => {
        this.held.replace(plan, at, request.usageBehavior);
        return this.opening();
      };
      this.bill(closed, at, { kind: 'closing', making: 'where_due', begin });
      return;
    }
    const period = this.held.currentPeriod();
    const parties = this.held.replace(plan, at, request.usageBehavior);
    const charges = switchCharges(parties, parties.inheritance, { at, places: PLACES, nameOf: (metricId) => metricId });
    const { prepaid, difference: charge, proration } = charges;
    this.pending.push(...prepaid.map(prepaidLine).map(rounded));
    const { amount, direction } = proration;
    if (direction === 'credit') this.creditDifference(parties, period, amount, at);
    if (direction !== 'charge') return;
    if (request.invoicingBehavior === 'add_to_next_invoice') this.pending.push({ ...prorationLine(charge), amount });
    else this.issue('proration', { ...NOTHING, prorations: [charge] }, at, []);
  }

  /** As `loadDowngradeCredit`. */
  private creditDifference(parties: SwitchParties, period: SegmentedPeriod, wanted: Decimal, at: Instant): void {
    const isAhead = parties.oldPlan.chargeTiming === 'in_advance';
    const charged = isAhead ? paidAhead(this, period).charged : this.wallet.switchCharges(switchesIn(period.segments));
    const of = { currency: 'USD', taxRate: this.taxRate };
    const before = { charged, pending: this.pending, period };
    const { parts: credited } = creditOfDowngrade(of, parties, wanted, { ...before, feeShare: decimal(1) });
    for (const part of credited) this.wallet.creditProration(part, now(at));
  }

  /** As `cancelNow`. */
  private cancel(at: Instant, terms: Parameters<typeof endingAt>[1]): void {
    const { subscription, pauses } = this.held;
    const ending = endingAt(at, terms, subscription.currentPeriod);
    const boundaries = this.held.boundaries({ pauses, ending, closes: true }, this.wallet);
    const last = boundaries.at(-1);
    this.creditProration(last, ending, at);
    for (const boundary of boundaries.slice(0, -1)) this.bill(boundary, at, { kind: 'period', making: 'where_due' });
    this.held.unbilled = [];
    if (last && terms.invoicingBehavior === 'invoice_now')
      this.bill(last, at, { kind: 'closing', making: 'where_due' });
    else if (last) {
      const charges = this.held.charge(last, this);
      this.pending.push(...chargedLines({ ...charges, pending: [] }, PLACES).map(rounded));
    }
    this.end(at, this.pending.length > 0 ? subscription.currentPeriod.endsAt : null);
  }

  private end(at: Instant, billsAt: Instant | null): void {
    const status = nextSubscriptionStatus(this.held.subscription.status, 'cancel');
    if (isLive(status)) throw new Error('a cancel that ends nothing');
    this.held.change({ status, ended: { at, reason: 'canceled' }, billsAt, plannedSwitch: null });
    this.isClosed = true;
  }

  private billPending(at: Instant): void {
    this.held.change({ billsAt: null });
    if (this.pending.length > 0) this.issue('closing', NOTHING, at);
  }

  /** As `saveProrationCredits`. */
  private creditProration(boundary: BoundaryInput | undefined, ending: Ending, at: Instant): void {
    if (boundary?.plan.chargeTiming !== 'in_advance' || boundary.ended === null) return;
    const { plan, subscriptionId, ended: period } = boundary;
    const { charged, prorated } = paidAhead(this, period);
    const paid = { period, fee: plan.recurringFee, charged, prorated, places: PLACES };
    const { given, waived } = prorationCredits(paid, ending);
    for (const one of given) this.wallet.creditProration(one, now(at));
    if (waived.isZero()) return;
    const window = { periodStart: ending.at, periodEnd: period.endsAt };
    this.pending.push({ ...emptyLine('proration', ''), subscriptionId, ...window, amount: waived.negated() });
  }

  /** As `saveBill`. */
  private bill(boundary: BoundaryInput, at: Instant, { kind, making, begin }: Billing): void {
    const ended = this.held.charge(boundary, this);
    const begun = begin?.() ?? null;
    const charges = begun ? joinCharges(ended, begun) : ended;
    const isAnythingDue = chargedLines({ ...charges, pending: this.pending }, PLACES).some(
      (line) => !rounded(line).amount.isZero(),
    );
    if (making === 'scheduled' || isAnythingDue)
      this.issue(kind === 'closing' && begun ? 'opening' : kind, charges, at);
  }

  private issue(
    kind: InvoiceKind,
    charges: Partial<BoundaryCharges>,
    at: Instant,
    pending: NewInvoiceLine[] = this.pending.splice(0),
  ): void {
    const { currentPeriod } = this.held.subscription;
    const window = { periodStart: currentPeriod.startsAt, periodEnd: currentPeriod.endsAt };
    const { today } = now(at);
    const { credits } = this.wallet;
    const of = { kind, currency: CURRENCY, taxRate: this.taxRate, ...window, pending, credits, today };
    const computed = computeInvoice({ ...NOTHING, ...charges, ...of });
    this.wallet.issue(computed, now(at));
  }
}

function requestOf(act: Extract<Act, { do: 'switch' | 'withdraw' }>): SwitchRequest {
  if (act.do === 'withdraw') {
    const defaults = {
      invoicingBehavior: 'add_to_next_invoice',
      usageBehavior: 'transfer_to_new_subscription',
    } as const;
    return { newPlanId: null, effectiveDate: null, ...defaults };
  }
  const effectiveDate = act.inDays > 0 ? dayOf(instantOn(Math.floor(act.at) + act.inDays)) : 'immediately';
  return { newPlanId: `plan_${act.plan}`, effectiveDate, invoicingBehavior: act.invoicing, usageBehavior: act.usage };
}

function rounded(line: NewInvoiceLine): NewInvoiceLine {
  return { ...line, amount: roundHalfAwayFromZero(line.amount, PLACES) };
}

function now(at: Instant) {
  return { at, today: localDateAt(at, ZONE) };
}

function toCents(amount: Decimal): string {
  return toPlain(amount.shiftedBy(2));
}
