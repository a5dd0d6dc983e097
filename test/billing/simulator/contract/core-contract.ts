import { type ApplicableDiscount, discountsAfter } from '../../../../billing/discounts/discounts.ts';
import {
  type BoundaryCharges,
  type BoundaryInput,
  joinCharges,
} from '../../../../billing/invoices/boundary-charges.ts';
import { chargedLines, isNothingDue, linesLeft } from '../../../../billing/invoices/compute-invoice.ts';
import type { InvoiceKind, NewInvoiceLine } from '../../../../billing/invoices/invoice.ts';
import { prepaidLine, prorationLine } from '../../../../billing/invoices/invoice-lines.ts';
import { endsFreeTrial, headOfEnd } from '../../../../billing/invoices/opening-invoice.ts';
import type { CountedLate } from '../../../../billing/metering/late-usage.ts';
import type { Period } from '../../../../billing/periods/periods.ts';
import type { Boundary, NextStep } from '../../../../billing/periods/schedule.ts';
import { endsBilling } from '../../../../billing/periods/usage-months.ts';
import { decideCancel, endingAt } from '../../../../billing/subscriptions/cancel.ts';
import { nextPeriod } from '../../../../billing/subscriptions/closing-boundaries.ts';
import { closedBySwitch, switchCharges } from '../../../../billing/subscriptions/inheritance.ts';
import { nextSubscriptionStatus } from '../../../../billing/subscriptions/states.ts';
import type { CancelTerms } from '../../../../billing/subscriptions/subscription.ts';
import {
  decideSwitch,
  type SwitchTerms,
  successionOf,
  switchEnding,
  withPlannedCancel,
} from '../../../../billing/subscriptions/switch.ts';
import { currencyOf } from '../../../../core/currencies.ts';
import { type Decimal, roundHalfAwayFromZero, ZERO } from '../../../../core/decimal.ts';
import { DomainError } from '../../../../core/domain-error.ts';
import { type Instant, localDateAt } from '../../../../core/instants.ts';
import type { CoreWallet } from '../core-wallet.ts';
import type { CoreAct } from './core-act.ts';
import { creditDifference, creditProration } from './core-given-back.ts';
import { CorePayer } from './core-payer.ts';
import type { CoreRecords } from './core-records.ts';
import { type Contract, CoreSwitcher } from './core-switcher.ts';

/** A contract with what it is settled by. `addonPrices`: of add-ons; discounts in order of redemption. */
export type SettledContract = Contract & {
  /** With the decimals that amounts come in. */
  currency: string;
  taxRate: Decimal;
  addonPrices: readonly Decimal[];
  discounts: readonly ApplicableDiscount[];
  /** What it shares with the contracts of others that pay for it, or for which it pays. */
  records?: CoreRecords;
  /** The customer as one who pays, if it is there already. */
  own?: CorePayer;
};

type Billing = {
  kind: 'period' | 'closing';
  making: 'scheduled' | 'where_due';
  late: readonly CountedLate[];
  begin?: () => BoundaryCharges | null;
};

const NOTHING = { fees: [], prepaid: [], usages: [] };

/** A contract that is lived by the rules of billing/: each step computes and saves as the service does, in memory. */
export class CoreContract {
  readonly held: CoreSwitcher;
  /** The customer as one who pays. */
  readonly own: CorePayer;
  /** Who is billed for it. */
  payer: CorePayer;
  readonly pending: NewInvoiceLine[] = [];
  discounts: readonly ApplicableDiscount[];
  readonly currency: string;
  /** What prorations have credited at an instant, without tax. */
  readonly prorationCredits = new Map<Instant, Decimal>();
  private readonly places: number;
  /** Whether time alone has made due what is billed now. */
  private isDue = false;
  private addonPrices: readonly Decimal[];
  private isClosed = false;

  constructor(contract: SettledContract) {
    const { discounts, addonPrices, currency, subscription } = contract;
    [this.currency, this.places] = [currency, currencyOf(currency).exponent];
    [this.discounts, this.addonPrices] = [discounts, addonPrices];
    this.held = new CoreSwitcher(contract);
    this.own = contract.own ?? new CorePayer({ ...contract, customerId: subscription.customerId });
    this.payer = this.own;
  }

  get wallet(): CoreWallet {
    return this.own.wallet;
  }

  passTime(until: Instant): void {
    for (;;) {
      const next = this.nextStep();
      if (next === null || next.dueAt > until) return;
      this.step(next);
    }
  }

  /** What time alone makes due next. */
  nextStep(): NextStep | null {
    const { subscriptionId } = this.held.subscription;
    const next = this.held.nextStep(this.isClosed);
    return next && { ...next, subscriptionId };
  }

  tryAct(act: CoreAct, at: Instant): boolean {
    try {
      this.act(act, at);
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return false;
    }
  }

  step({ kind, dueAt }: Boundary): void {
    this.isDue = true;
    this.held.now = dueAt;
    const { plannedCancel } = this.held.subscription;
    if (kind === 'activate') this.activate();
    else if (kind === 'close_period') this.closePeriod();
    else if (kind === 'switch') this.switchTo(this.held.planned(), dueAt);
    else if (kind === 'cancel' && plannedCancel) this.cancel(dueAt, plannedCancel);
    else if (kind === 'bill_waiting') this.billPending(dueAt);
    else if (kind === 'resume') this.resume(dueAt);
    else throw new Error(`a ${kind} is due`);
  }

  private act(act: CoreAct, at: Instant): void {
    const { subscription, timeZone } = this.held;
    this.isDue = false;
    this.held.now = at;
    if (act.do === 'pause') this.held.pause(at, act.resumesAt);
    else if (act.do === 'resume') this.resume(at);
    else if (act.do === 'cancel') {
      const decision = decideCancel(subscription, act.request, { at, timeZone });
      if (decision.kind === 'now') this.cancel(at, act.request);
      else if (decision.kind === 'planned') {
        this.held.subscription = withPlannedCancel(subscription, decision.cancel);
      }
    } else if (act.do === 'attach') this.held.attach(act, this.addonPrices[act.addon] ?? ZERO);
    else if (act.do === 'switch') this.askSwitch(act, at);
    else if (act.do === 'add_price') this.held.addPrice(act);
  }

  private askSwitch({ request, newPlan }: Extract<CoreAct, { do: 'switch' }>, at: Instant): void {
    const { subscription, timeZone } = this.held;
    const subject = { subscription, currency: this.currency, newPlan, heldPlanIds: [] };
    const decision = decideSwitch(subject, request, { at, timeZone });
    // Any switch that is asked for drops phases.
    this.held.change({ phases: [] });
    const { invoicingBehavior, usageBehavior } = request;
    if (decision.kind === 'now') this.switchTo({ nextPlan: decision.plan, invoicingBehavior, usageBehavior }, at);
    else if (decision.kind === 'withdrawn') this.held.change({ plannedSwitch: null });
    else {
      const agreed = { version: decision.plan.version, overrides: decision.plan.agreement?.overrides ?? null };
      this.held.change({ plannedSwitch: { ...decision.switch, agreed } });
    }
  }

  private activate(): void {
    this.held.change({ status: nextSubscriptionStatus(this.held.subscription.status, 'activate') });
    const { currentPeriod } = this.held.subscription;
    const charges = this.held.opening(this.wallet);
    if (charges) this.issue('opening', charges, currentPeriod, currentPeriod.startsAt);
  }

  /** As `endPeriods` and `issuePeriodInvoice`. */
  private closePeriod(): void {
    const { subscription, pauses, timeZone } = this.held;
    const { currentPeriod, status, plannedSwitch, plannedCancel } = subscription;
    const at = currentPeriod.endsAt;
    const isLast = plannedCancel !== null && plannedCancel.at <= at;
    const ending = isLast ? endingAt(at, plannedCancel, currentPeriod) : null;
    const next = nextPeriod(subscription, { timeZone }, ending);
    if (status === 'paused' && next !== null) {
      this.held.unbilled.push(currentPeriod);
      this.held.begin(next);
      return;
    }
    const boundaries = this.held.boundaries({ pauses, ending, closes: true }, this.wallet);
    const isSwitched = !ending && plannedSwitch?.at === at && endsBilling(currentPeriod);
    const switched = isSwitched ? this.held.planned() : null;
    let late = this.held.late(this.wallet);
    if (ending) creditProration(this, boundaries.at(-1), { ending, at });
    const begin = switched ? () => this.begun(switched, at) : undefined;
    boundaries.forEach((boundary, i) => {
      const isCurrent = i === boundaries.length - 1;
      const kind = isCurrent && ending ? 'closing' : 'period';
      const of = isCurrent && switched ? { ...boundary, next: null } : boundary;
      const making = status === 'paused' ? 'where_due' : 'scheduled';
      if (this.bill(of, at, { kind, making, late, ...(isCurrent && begin && { begin }) })) late = [];
    });
    this.held.unbilled = [];
    if (switched) return;
    if (next) this.held.begin(next);
    else this.end(at, null);
  }

  /** As `resume`. */
  private resume(at: Instant): void {
    this.held.resume(at);
    const boundaries = this.held.boundaries({ pauses: this.held.pauses, ending: null, closes: false }, this.wallet);
    this.billInTurn(boundaries, at, boundaries.length > 0 ? this.held.late(this.wallet) : []);
    this.held.unbilled = [];
    // A switch that fell due in the pause happens with the resume, before any later call.
    this.passTime(at);
  }

  /** As `saveSwitch`. */
  private switchTo(terms: SwitchTerms, at: Instant): void {
    const { subscription: old, pauses } = this.held;
    const { nextPlan, usageBehavior, invoicingBehavior } = terms;
    if (successionOf(old, nextPlan, at) === 'closes') {
      const ending = switchEnding(at, old.currentPeriod);
      const [boundary] = this.held.boundaries({ pauses, ending, closes: true }, this.wallet);
      if (!boundary) throw new Error('a switch ends one period');
      const late = this.held.late(this.wallet);
      creditProration(this, boundary, { ending, at });
      const closed = closedBySwitch(boundary, { nextPlan, usageBehavior });
      this.bill(closed, at, { kind: 'closing', making: 'where_due', late, begin: () => this.begun(terms, at) });
      return;
    }
    const period = this.held.currentPeriod();
    const parties = this.replace(terms, at);
    const charges = switchCharges(parties, parties.inheritance, {
      at,
      places: this.places,
      nameOf: (metricId) => metricId,
    });
    const { prepaid, difference: charge, proration } = charges;
    this.pending.push(...prepaid.map(prepaidLine).map(this.rounded));
    const { amount, direction } = proration;
    if (direction === 'credit') creditDifference(this, parties, { period, wanted: amount, at });
    if (direction !== 'charge') return;
    const line = { ...prorationLine(charge), amount };
    if (invoicingBehavior === 'add_to_next_invoice') this.pending.push(line);
    else this.issue('proration', NOTHING, parties.next.currentPeriod, at, [line]);
  }

  private begun(terms: SwitchTerms, at: Instant): BoundaryCharges | null {
    const isBehindTrial = this.held.subscription.currentPeriod.trial !== undefined;
    this.replace(terms, at);
    return this.held.opening(this.wallet, isBehindTrial);
  }

  /** Discounts go along with a switch. */
  private replace(terms: SwitchTerms, at: Instant) {
    const parties = this.held.replace(terms, at);
    const { subscriptionId } = parties.next;
    this.discounts = this.discounts.map((one) => {
      return { ...one, subscriptionId, holders: [...one.holders, subscriptionId] };
    });
    return parties;
  }

  /** As `cancelNow`. */
  private cancel(at: Instant, terms: CancelTerms): void {
    const { subscription, pauses } = this.held;
    const ending = endingAt(at, terms, subscription.currentPeriod);
    const boundaries = this.held.boundaries({ pauses, ending, closes: true }, this.wallet);
    const last = boundaries.at(-1);
    const counted = this.held.late(this.wallet);
    creditProration(this, last, { ending, at });
    const late = this.billInTurn(boundaries.slice(0, -1), at, counted);
    this.held.unbilled = [];
    if (last && terms.invoicingBehavior === 'invoice_now')
      this.bill(last, at, { kind: 'closing', making: 'where_due', late });
    else if (last) this.leavePending(last, late);
    this.end(at, !isNothingDue(this.pending) ? subscription.currentPeriod.endsAt : null);
  }

  /** As `saveWaiting`: what came late is on the first invoice that is made; answers what is still to be billed of it. */
  private billInTurn(boundaries: readonly BoundaryInput[], at: Instant, counted: readonly CountedLate[]) {
    let late = counted;
    for (const boundary of boundaries) {
      if (this.bill(boundary, at, { kind: 'period', making: 'where_due', late })) late = [];
    }
    return late;
  }

  /** As `leaveForNext`; whether late usage is billed says the account. */
  private leavePending(boundary: BoundaryInput, late: readonly CountedLate[]): void {
    const charges = this.held.charge(boundary, this, late);
    this.pending.push(...linesLeft({ ...charges, pending: [] }, this.places));
  }

  private end(at: Instant, billsAt: Instant | null): void {
    this.held.end(at, billsAt);
    this.isClosed = true;
  }

  private billPending(at: Instant): void {
    this.held.change({ billsAt: null });
    if (!isNothingDue(this.pending)) this.issue('closing', NOTHING, this.held.subscription.currentPeriod, at);
  }

  /** As `billBoundary`; answers whether an invoice was made. */
  private bill(boundary: BoundaryInput, at: Instant, { kind, making, late, begin }: Billing): boolean {
    const ended = this.held.charge(boundary, this, late);
    const { currentPeriod } = this.held.subscription;
    const begun = begin?.() ?? null;
    const charges = { ...(begun ? joinCharges(ended, begun) : ended), late: ended.late };
    const isAnythingDue = chargedLines({ ...charges, pending: this.pending }, this.places).some(
      (line) => !this.rounded(line).amount.isZero(),
    );
    if (!isAnythingDue && (making === 'where_due' || endsFreeTrial(boundary))) return false;
    if (begun && (kind === 'closing' || endsFreeTrial(boundary))) {
      this.issue('opening', charges, this.held.subscription.currentPeriod, at);
      return true;
    }
    const { kind: made, period } = headOfEnd(boundary, kind);
    this.issue(made, charges, period ?? currentPeriod, at);
    return true;
  }

  private issue(
    kind: InvoiceKind,
    charges: Partial<BoundaryCharges> & { late?: readonly CountedLate[] },
    { startsAt: periodStart, endsAt: periodEnd }: Period,
    at: Instant,
    pending: NewInvoiceLine[] = this.pending.splice(0),
  ): void {
    const { held, own, discounts, isDue } = this;
    const owner = { customerId: own.customerId, subscriptionId: held.subscription.subscriptionId };
    const part = { ...NOTHING, ...charges, kind, periodStart, periodEnd, pending };
    const used = this.payer.bill(part, { owner, discounts, now: this.now(at), isDue });
    this.discounts = discountsAfter(discounts, { kind, used });
  }

  private rounded = (line: NewInvoiceLine) => ({ ...line, amount: roundHalfAwayFromZero(line.amount, this.places) });

  private now(at: Instant) {
    return { at, today: localDateAt(at, this.held.timeZone) };
  }
}
