import { dayOfText, startOfDay, textOfDay } from '../simulator/model-calendar.ts';
import { daysIn, firstDayOf } from '../simulator/model-periods.ts';
import type { Deal, DealCancel, DealLimits, DealPlan } from './deal.ts';
import { askedFor, type Change, planOf } from './model-changes.ts';
import type { Bills } from './model-money.ts';
import {
  type Amount,
  costOf,
  countFor,
  exact,
  type Line,
  lateOf,
  limited,
  limitOf,
  line,
  max,
  min,
  net,
  prepaidOf,
  sum,
  total,
  trueUp,
  type Window,
} from './model-usage.ts';

/** What comes next of a life: of what time makes due at an instant ends of periods come first, then cancels, switches, beginnings; then calls. */
export type Next = { at: number; rank: number; happen(): void };
export const CALL = 9;

/** Days, counted from the start date, that are a part of `whole` days. */
type Days = { from: number; to: number; whole: number };
/**
 * A plan in force from a day on. `made`: what the switch to it charged, or below nought credited; `charge`: the line of that; `ofLines`,
 * `ofFee`: what it credited of lines that waited, and of the fee to come.
 */
type Part = { plan: DealPlan; from: number; made: Amount; charge?: Line; ofLines?: Amount; ofFee?: Amount };
/** Of a period or month; `fee`: by which terms it ends before its time. */
type End = { day: number; at: number; fee: DealCancel['fee'] | null; billsUsage?: boolean };

/** The life of one deal, which bills step by step; answers what comes next of it. */
export function lifeOf(deal: Deal, account: Bills): () => Next | null {
  const { round } = account.payer;
  const first = dayOfText(deal.startDate);
  const at = (day: number) => startOfDay(first + day, deal.zone);
  const { changes, phases, dropped, cancel, pauses, events } = askedFor(deal, at);
  const meter = { events, at, round };
  let plan = planOf(deal, 0, deal.overrides, at);
  let [index, changed, isTrial, isBegun, isOver] = [0, 0, deal.trialDays > 0, false, false];
  // Billing periods, and months in them, are counted from a day by the terms of a plan.
  let [terms, months, k] = [{ ...plan, startDate: deal.startDate }, { ...plan, startDate: deal.startDate }, 0];
  let billing: Days = { from: 0, to: deal.trialDays, whole: deal.trialDays };
  let month = billing;
  // Up to which day add-ons have been charged that are charged once.
  let onceTo = 0;
  let parts: [Part, ...Part[]] = [{ plan, from: 0, made: exact() }];
  // What was charged of the fee, and what of that went back.
  let [charges, gone]: [Line[], Amount] = [[], exact()];
  // What limits of the plan count: the fee apart, which an end makes less of.
  let [fee, limit] = [exact(), limitOf('', null)];
  // Usage of the month that another plan billed up to a change, and from when the rest is counted: by metric where some has been.
  let [used, begun, since]: [Window[], number, Record<string, number>] = [[], at(0), {}];
  const billed: Window[] = [];

  const span = (of: typeof terms, k: number): Days => {
    return { from: firstDayOf(of, k) - first, to: firstDayOf(of, k + 1) - first, whole: daysIn(of, k).whole };
  };
  /** A part of an amount, for some days of the billing period. */
  const prorated = (of: string | Amount, days: number) => round(exact(of).times(days).div(billing.whole));
  /** What the billing period costs of the fee, which limits of the plan count. */
  function costs(amount: Amount): void {
    fee = fee.plus(amount);
    countFor(limit, amount);
  }
  const isAhead = () => plan.timing === 'in_advance';
  /** The pause in which a day begins. */
  const pauseAt = (day: number) => pauses.find(({ from, to }) => from < day && day <= to);
  const bill = (kind: string, { from, to }: Days, lines: Line[], isDueOnly = false) =>
    account.issue(kind, [at(from), at(to)], lines, isDueOnly);

  function open(): void {
    isBegun = true;
    const due = isTrial ? [] : begin(0, true);
    bill('opening', month, due, true);
  }

  function begin(day: number, isNew: boolean): Line[] {
    const counted = { ...plan, startDate: textOfDay(first + day) };
    [terms, months, k] = isNew ? [counted, { ...counted, days: 30 }, 0] : [terms, months, k + 1];
    billing = span(terms, k);
    const days = Math.max(billing.to - (pauseAt(day)?.to ?? day), 0);
    const ahead = line('recurring_fee', '', prorated(plan.fee, days));
    charges = isAhead() && ahead.amount.gt(0) ? [ahead] : [];
    [parts, gone] = [[{ plan, from: day, made: exact() }], exact()];
    month = monthFrom(day);
    const addons = addonsOf(isAhead() ? 0 : day, day, days > 0);
    const units = prepaidIn(month);
    // The maximum acts once it is passed.
    [fee, limit] = [total(charges), { ...limitOf('', null), most: exact(plan.limits.maximum ?? Infinity) }];
    countFor(limit, total(units).plus(fee));
    return [...charges, ...units, ...addons, trueUp(limit)].filter(({ amount }) => !amount.isZero());
  }

  function monthFrom(from: number): Days {
    const to = billing.to - from < 60 ? billing.to : from + 30;
    let j = 0;
    while (span(months, j).from < from) j++;
    const isFixed = plan.calendar === 'fixed_days';
    return !plan.billsMonths ? billing : isFixed ? { from, to, whole: to - from } : span(months, j);
  }

  /** Add-ons attached between two days, unless all of the billing period is paused; and those that are charged once, once. */
  function addonsOf(from: number, to: number, isLived: boolean): Line[] {
    const due = deal.addons.filter(({ day, isOnce }) => day < to && (isOnce ? day >= onceTo : isLived && day >= from));
    onceTo = to;
    return due.map(({ price }) => line('addon', '', exact(price)));
  }

  /** Units that are paid ahead for a month, but for one that is paused to its last day. */
  function prepaidIn({ from, to }: Days): Line[] {
    if ((pauseAt(from)?.to ?? from) >= to) return [];
    return plan.components.map((one) => line('prepaid_units', one.metricId, round(prepaidOf(one))));
  }

  function endMonth(): void {
    const [ended, day, isPaused] = [month, month.to, pauseAt(month.to) !== undefined];
    const lines = charge({ day, at: at(day), fee: null });
    if (day < billing.to) {
      month = monthFrom(day);
      bill('period', ended, lines, isPaused);
      return;
    }
    const change = changes[0]?.at === at(day) ? changes.shift() : undefined;
    const phase = phases.findLast((one) => one.day > changed && one.day <= day && day <= dropped);
    const then = change?.plan ?? (phase ? planOf(deal, index, phase.overrides, at) : plan);
    if (change) [index, changed] = [change.index, day];
    const [isFree, isNew] = [isTrial && lines.length === 0, isTrial || !isAlike(plan, then)];
    [plan, isTrial] = [then, false];
    const due = begin(day, isNew);
    if (isFree) bill('opening', month, due, true);
    else bill('period', ended, [...lines, ...due], isPaused);
  }

  function switchTo(change: Change): void {
    const { day, plan: then, isInvoicedNow } = change;
    const [old, ended] = [plan, month];
    [index, changed] = [change.index, day];
    if (!isTrial && !(isAlike(old, then) && old.timing === then.timing)) {
      const lines = charge({ day, at: change.at, fee: 'charge_prorated' }, change);
      plan = then;
      const due = begin(day, true);
      if (due.length > 0) bill('opening', month, [...lines, ...due], true);
      else bill('closing', ended, lines, true);
      return;
    }
    useUp(change.at, change);
    plan = then;
    if (isTrial) return;
    const rest = billing.to - day;
    const made = exact(then.fee).minus(old.fee).times(rest).div(billing.whole);
    const difference = round(made);
    costs(difference);
    const part: Part = { plan, from: day, made };
    parts.push(part);
    if (difference.lt(0)) downgrade(part, difference.negated(), old);
    else if (difference.gt(0)) {
      part.charge = line('proration', '', difference);
      charges.push(part.charge);
      if (isInvoicedNow) bill('proration', month, [part.charge]);
      else account.pending.push(part.charge);
    }
  }

  function stop({ isInvoicedNow, ...end }: End & { isInvoicedNow: boolean }): void {
    const lines = charge(end);
    isOver = true;
    const isEarly = end.at < at(month.to);
    const isFree = isTrial && lines.length === 0 && !(plan.billsTrial && plan.components.length > 0);
    if (isInvoicedNow || !isEarly) bill('closing', month, lines, isEarly || isFree);
    else if (lines.some(({ amount }) => !amount.isZero())) account.pending.push(...lines);
    else account.held.splice(0);
  }

  /** Usage of metrics that do not move on is billed by the plan of now. */
  function useUp(until: number, change?: Change): void {
    for (const component of plan.components) {
      const { metricId } = component;
      if (change && !change.resets && change.plan.components.some((one) => one.metricId === metricId)) continue;
      const from = since[metricId] ?? begun;
      since[metricId] = until;
      if (from < until && (!isTrial || plan.billsTrial))
        used.push({ component, from, until, isTrial, billedAt: 0, lines: [], limit: null });
    }
    if (!change || change.resets) [begun, since] = [until, {}];
  }

  /** What the month costs that ends, and where the billing period ends as well the fee. */
  function charge(end: End, change?: Change): Line[] {
    useUp(end.at, change);
    const now = pauseAt(end.day)?.until ?? end.at;
    const late = billed.flatMap((window) => lateOf(window, now, meter, deal.ignoresLate));
    const windows = used.splice(0).map((window) => Object.assign(window, { billedAt: now }));
    const own = [...new Set(windows.map(({ component }) => component.metricId))].map((metric) => {
      const limitsOf = (of: DealPlan) => of.components.find(({ metricId }) => metricId === metric)?.limits;
      const charged = total(prepaidIn(month).filter((one) => one.metric === metric));
      return { ...limitOf(metric, limit), charged, ...bounds(end, month, limitsOf) };
    });
    const usage = (end.billsUsage === false ? [] : windows).flatMap((window) => {
      const { metricId } = window.component;
      window.limit = (!isTrial && own.find(({ metric }) => metric === metricId)) || null;
      const { lines, held } = costOf(window, now, meter);
      billed.push(Object.assign(window, { lines }));
      account.held.push(...held);
      return lines.length > 0 ? lines : [line('usage', metricId, exact())];
    });
    if (isTrial) return usage;
    for (const one of usage) countFor(one.limit, one.amount);
    const ups = own.map(trueUp);
    const isOver = end.fee !== null || end.day === billing.to;
    const units = isOver ? [] : prepaidIn(monthFrom(end.day));
    countFor(limit, total(units));
    const isLived = daysBilled(billing.from, { ...end, day: billing.to, fee: null }) > 0;
    const addons = isOver ? addonsOf(isAhead() ? billing.from : 0, end.day, isLived) : [];
    const fees = !isOver ? [] : isAhead() ? takenBack(end) : feesEnded(end);
    Object.assign(
      limit,
      bounds(end, billing, (of) => of.limits, isOver),
    );
    const lines = [...fees, ...units, ...usage, ...addons, ...ups, trueUp(limit), ...limited(late)];
    return lines.filter(({ type, amount }) => type === 'usage' || !amount.isZero());
  }

  /** The minimums of all plans for their days in force, and the maximum of the last, which holds where the two cross. */
  function bounds(end: End, days: Days, limitsOf: (plan: DealPlan) => DealLimits | undefined, isOver = true) {
    const limits = parts.map(({ plan, from }, i) => ({ from, to: parts[i + 1]?.from ?? days.to, of: limitsOf(plan) }));
    const minimums = limits.flatMap(({ from, to, of }) =>
      of?.minimum ? exact(of.minimum).times(daysBilled(Math.max(from, days.from), end, Math.min(to, days.to))) : [],
    );
    const hasMinimum = isOver && minimums.length > 0 && end.fee !== 'refund' && end.billsUsage !== false;
    return {
      least: hasMinimum ? round(sum(minimums).div(days.whole)) : exact(-Infinity),
      most: exact(limits.findLast(({ of }) => of)?.of?.maximum ?? Infinity),
    };
  }

  /** How many of some days are billed: those up to the end that were not paused. */
  function daysBilled(from: number, { day, fee }: End, to = billing.to): number {
    if (fee === 'charge_full' || fee === 'refund') return fee === 'refund' ? 0 : Math.max(to - from, 0);
    const days = Array.from({ length: Math.max(Math.min(to, day) - from, 0) }, (_, i) => from + i);
    return days.filter((one) => !pauses.some((pause) => pause.from <= one && one < pause.to)).length;
  }

  /** In arrears: the fee of the plan it began with, and what switches have charged, or credited, for days that were not lived. */
  function feesEnded(end: End): Line[] {
    const lived = (from: number) => exact(daysBilled(from, end)).div(billing.to - from);
    // Of what was credited counts what is not charged again.
    const gone = sum(parts.map(({ ofFee, from }) => lived(from).times(ofFee ?? 0)));
    const lines = [line('recurring_fee', '', prorated(parts[0].plan.fee, daysBilled(billing.from, end)), { gone })];
    const unused = parts.map(({ made, from, charge, ofLines = exact() }) => {
      const share = exact(1).minus(lived(from));
      return { back: made.times(share), charge, gone: ofLines.times(share).negated() };
    });
    // Beyond what is left of its invoice goes back what is charged again of credits.
    let again = sum(unused.map(({ back }) => max(back.negated(), 0)));
    const taken = unused.toReversed().map(({ back, charge, gone }) => {
      if (!back.gt(0) || !charge?.invoice)
        return line('proration', '', round(back).negated(), { isBack: back.lt(0), gone });
      const wanted = back.times(net([charge])).div(charge.amount);
      const own = account.takeBack(charge, charge.invoice, wanted);
      const beyond = min(wanted.minus(own), again);
      again = again.minus(beyond);
      return line('proration', '', round(own.plus(beyond)).negated(), { isBack: true });
    });
    // Discounts round the shares of lines one after another, in the order of the switches.
    lines.push(...taken.toReversed());
    costs(total(lines));
    return lines;
  }

  /** In advance: what goes back of the fee; what of it is on no invoice yet is taken off again. */
  function takenBack({ day, fee: terms }: End): Line[] {
    account.payer.issueWaiting(charges);
    if (terms === null || terms === 'charge_full') return [];
    const back = terms === 'refund' ? fee : prorated(plan.fee, billing.to - day);
    const issued = charges.filter(({ invoice }) => invoice);
    const waiting = total(charges).minus(total(issued));
    const left = waiting.minus(goneToCome());
    const waived = max(min(back, left, net(issued).plus(waiting).minus(gone)), 0);
    costs(back.negated());
    const wanted = issued.length > 0 ? back.minus(waived).times(net(issued)).div(total(issued)) : exact();
    credit(round(wanted), waiting.minus(waived));
    if (waived.gt(0)) account.pending.push(line('proration', '', waived.negated()));
    return [];
  }

  /** The credit for days to come, less percentages: in advance those of the invoice that charged them, else those of now. */
  function downgrade(part: Part, difference: Amount, { timing }: DealPlan): void {
    account.payer.issueWaiting(charges);
    const [now, isAhead] = [account.percentsLeft(), timing === 'in_advance'];
    const share = (isAhead && charges.find(({ invoice }) => invoice)?.share) || now;
    const waiting = charges.filter(({ invoice }) => !invoice);
    // In arrears the fee that the period began with is still to come.
    const toCome = total(waiting).plus(isAhead ? 0 : parts[0].plan.fee);
    const { given, ofNone } = credit(round(difference.times(share)), round(toCome.times(now)));
    Object.assign(part, account.spread(ofNone, waiting, isAhead));
    // What was not credited is not charged again.
    if (!given.eq(difference)) part.made = given.negated();
  }

  /** What was credited of what is on no invoice yet: of lines that wait, and in arrears of the fee. */
  function goneToCome(): Amount {
    const ofFee = isAhead() ? [] : parts.map((part) => part.ofFee ?? exact());
    return sum([...charges.flatMap((one) => (one.invoice ? [] : one.gone)), ...ofFee]);
  }

  /** Gives back of invoices first, then of what `waits`: never more than was charged for the period and has not gone back. */
  function credit(wanted: Amount, waits: Amount): { given: Amount; ofNone: Amount } {
    const issued = charges.filter(({ invoice }) => invoice);
    const most = min(wanted, net(issued).plus(waits).minus(gone));
    const credited = account.creditCharged(most, [line('', '', waits.minus(goneToCome())), ...issued]);
    gone = gone.plus(credited.given);
    return credited;
  }

  const next = (at: number, rank: number, does: () => void): Next => {
    const happen = () => {
      account.isCall = rank === CALL;
      does();
    };
    return { at, rank, happen };
  };

  return () => {
    const [end, change] = [at(month.to), changes[0]];
    if (!isBegun) return next(at(0), 3, open);
    if (isOver) return account.pending.length > 0 ? next(end, 4, () => bill('closing', month, [])) : null;
    if (cancel && cancel.at <= Math.min(change?.at ?? Infinity, end))
      return next(cancel.at, cancel.isCall ? CALL : 1, () => stop(cancel));
    if (change && change.at < end)
      return next(change.at, change.isCall ? CALL : 2, () => switchTo(changes.shift() ?? change));
    // What ends in a pause is billed at the resume.
    const pause = pauseAt(month.to);
    return pause ? next(pause.until, CALL, endMonth) : next(end, 0, endMonth);
  };
}

function isAlike(one: DealPlan, other: DealPlan): boolean {
  return (['days', 'calendar', 'anchorDay', 'billsMonths'] as const).every((term) => one[term] === other[term]);
}
