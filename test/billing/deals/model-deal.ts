import { BigNumber } from 'bignumber.js';
import { textOfDay } from '../simulator/model-calendar.ts';
import { daysIn, firstDayOf } from '../simulator/model-periods.ts';
import type { Deal, DealOutcome, DealPlan } from './deal.ts';
import { credit, net, percentsLeft, sharesLeft, taxOf, withoutTax, withTax } from './model-credits.ts';
import { type Days, type Ending, type Life, lifeOf, planOf } from './model-life.ts';
import { daysOf, limits, missing } from './model-limits.ts';
import { discountLines, exact, type Line, line, part, rounded, sum, total, usageLines } from './model-lines.ts';

const TYPES = ['recurring_fee', 'usage', 'proration', 'true_up'];

/**
 * The rules of deals told as simply as they can be told, with a calendar and numbers of their own. Nothing of billing/ is asked. Switches, and what
 * discounts and limits make of what they give back, are the half of its almost 600 lines.
 */
export function modelDeal(deal: Deal): DealOutcome {
  const life = lifeOf(deal);
  if (!life.isTrial) issue(life, 'opening', begin(life, life.period.from, true), { isDueOnly: true });
  for (;;) {
    const { changes, end, cancel } = life;
    const periodEnd = life.at(life.period.to);
    const next = Math.min(changes[0]?.at ?? Infinity, periodEnd);
    if (cancel && cancel.at <= Math.min(next, end)) {
      const lines = charge(life, cancel.day, cancel.at, cancel.fee);
      issue(life, 'closing', lines, { isDueOnly: cancel.at < periodEnd || (life.isTrial && lines.length === 0) });
      return life.outcome;
    }
    if (next > end) return life.outcome;
    if (next < periodEnd) switchNow(life);
    else endPeriod(life);
  }
}

/** Begins a billing period, `isNew`: one from which others are counted. Answers the fee that is due ahead. */
function begin(life: Life, day: number, isNew: boolean): Line[] {
  const { deal, plan, terms: before } = life;
  const [terms, k] = isNew ? [{ ...plan, startDate: textOfDay(day) }, 0] : [before, life.k + 1];
  const billing = { from: day, to: firstDayOf(terms, k + 1), whole: daysIn(terms, k).whole };
  const from = Math.max(day, pauseAt(life, day) ?? day);
  const fee = line('recurring_fee', '', part(deal, plan.fee, Math.max(billing.to - from, 0), billing.whole));
  const isAhead = plan.timing === 'in_advance';
  const ahead = [isAhead ? fee : line('recurring_fee', '', exact(plan.fee))].filter(({ amount }) => !amount.isZero());
  const due = isAhead ? ahead.slice() : [];
  const nothing = { other: exact(0), truedUp: exact(0), feeShare: exact(1), gone: exact(0), goneWaiting: exact(0) };
  Object.assign(life, { terms, k, billing, ahead, parts: [{ plan, day }], fee: total(due), ...nothing });
  beginMonth(life, day);
  return due;
}

/** The day of the resume, where a day begins in a pause. */
function pauseAt({ deal, first }: Life, day: number): number | undefined {
  const pause = deal.pauses.find(({ from, to }) => first + from < day && day <= first + to);
  return pause && first + pause.to;
}

function beginMonth(life: Life, from: number): void {
  const { billing, terms, plan } = life;
  Object.assign(life, { windows: [], since: { all: life.at(from), of: {} }, period: billing });
  if (!plan.billsMonths) return;
  const to = billing.to - from < 60 ? billing.to : from + 30;
  life.period = { from, to, whole: to - from };
  if (plan.calendar === 'fixed_days') return;
  const months = { ...terms, days: 30 as const };
  let k = 0;
  while (firstDayOf(months, k) < from) k++;
  life.period = { from, to: firstDayOf(months, k + 1), whole: daysIn(months, k).whole };
}

function endPeriod(life: Life): void {
  const { period, billing, isTrial, plan: old, changes, deal, asked, first } = life;
  const { to } = period;
  const lines = charge(life, to, life.at(to), null);
  const isDueOnly = pauseAt(life, to) !== undefined;
  if (to < billing.to) {
    beginMonth(life, to);
    issue(life, 'period', lines, { about: period, isDueOnly });
    return;
  }
  const change = changes[0]?.at === life.at(to) ? changes.shift() : undefined;
  const phase = life.phases.findLast(({ day }) => first + day > life.lastChange && first + day <= to && to <= asked);
  if (change) Object.assign(life, { plan: change.plan, index: change.index, lastChange: to });
  else if (phase) Object.assign(life, { plan: planOf(deal, life.index, phase.overrides) });
  life.isTrial = false;
  const fee = begin(life, to, isTrial || !isCountedAlike(old, life.plan));
  // A trial that bills nothing makes no invoice; what opens behind it has one of its own.
  const isFree = isTrial && lines.length === 0;
  const about = isFree ? life.period : period;
  issue(life, isFree ? 'opening' : 'period', [...lines, ...fee], { about, isDueOnly: isFree || isDueOnly });
}

function switchNow(life: Life): void {
  const { plan: old, billing, period, isTrial } = life;
  const change = life.changes.shift();
  if (!change) return;
  const { day, at, plan, index, resets, isInvoicedNow } = change;
  const moves = (metric: string) => !resets && plan.components.some(({ metricId }) => metricId === metric);
  Object.assign(life, { lastChange: day, index });
  if (!isTrial && !(isCountedAlike(old, plan) && old.timing === plan.timing)) {
    const lines = charge(life, day, at, 'charge_prorated', moves);
    const since = resets ? { all: at, of: {} } : life.since;
    life.plan = plan;
    const fee = begin(life, day, true);
    life.since = since;
    const opens = total(fee).gt(0);
    const about = opens ? life.period : period;
    issue(life, opens ? 'opening' : 'closing', [...lines, ...fee], { about, isDueOnly: true });
    return;
  }
  closeWindows(life, at, moves);
  if (resets) life.since = { all: at, of: {} };
  const whole = exact(isTrial ? 0 : plan.fee).minus(isTrial ? 0 : old.fee);
  const difference = part(life.deal, whole, billing.to - day, billing.whole);
  const charged = difference.gt(0) ? line('proration', '', difference) : undefined;
  Object.assign(life, { plan, fee: life.fee.plus(difference) });
  const share = sharesLeft(life, old);
  const wanted = rounded(life.deal, difference.negated().times(share.credit));
  // In arrears the fee that the period began with is still to come.
  const toCome = life.ahead.filter(({ invoice }) => !invoice);
  const given = difference.lt(0) ? credit(life, wanted, rounded(life.deal, total(toCome).times(share.now))) : exact(0);
  life.parts.push({ plan, day, ...(charged && { charge: charged }), credit: given });
  if (!charged) return;
  life.ahead.push(charged);
  if (isInvoicedNow) issue(life, 'proration', [charged], {});
  else life.pending.push(charged);
}

function isCountedAlike(one: DealPlan, other: DealPlan): boolean {
  return (['days', 'calendar', 'anchorDay', 'billsMonths'] as const).every((term) => one[term] === other[term]);
}

type Moves = (metric: string) => boolean;

/** Usage of metrics that do not move on is billed by the plan before. */
function closeWindows({ plan, since, windows }: Life, at: number, moves: Moves): void {
  for (const component of plan.components) {
    const { metricId } = component;
    if (moves(metricId)) continue;
    windows.push({ plan, component, from: since.of[metricId] ?? since.all, to: at });
    since.of[metricId] = at;
  }
}

/** What the usage period costs that ends now, and where the billing period ends as well the fee. */
function charge(life: Life, day: number, at: number, ending: Ending, moves: Moves = () => false): Line[] {
  const { deal, isTrial, billing, period, plan } = life;
  closeWindows(life, at, moves);
  const windows = life.windows.filter((one) => one.from < one.to && (!isTrial || one.plan.billsTrial));
  const usage = windows.flatMap((window) => {
    const { lines, held } = usageLines(deal, window, (one) => life.at(life.first + one));
    life.held.push(...held);
    return lines;
  });
  if (isTrial) return usage;
  const metrics = new Set(usage.map(({ metric }) => metric));
  const ups = [...metrics].flatMap((metric) => {
    const charged = total(usage.filter((one) => one.metric === metric));
    const limitsOf = (of: DealPlan) => of.components.find(({ metricId }) => metricId === metric)?.limits;
    return line('true_up', metric, missing(charged, limits(life, period, day, ending, limitsOf)));
  });
  life.other = life.other.plus(total([...usage, ...ups]));
  const isOver = ending !== null || day === billing.to;
  const feesOf = plan.timing === 'in_advance' ? takenBack : feesEnded;
  const fees = isOver ? feesOf(life, day, ending) : [];
  const { minimum, maximum } = limits(life, billing, day, ending, (of) => of.limits);
  const all = missing(life.fee.plus(life.other), { minimum: isOver ? minimum : null, maximum });
  const difference = all.minus(life.truedUp);
  life.truedUp = all;
  const lines = [...fees, ...usage, ...ups, line('true_up', '', difference)];
  return lines.filter(({ type, amount }) => type === 'usage' || !amount.isZero());
}

/** In arrears: the fee of the plan it began with, and what switches have charged for days that were not lived. */
function feesEnded(life: Life, day: number, ending: Ending): Line[] {
  const { deal, parts, billing } = life;
  const days = parts.map((_, i) => daysOf(life, i, billing, day, ending));
  const from = (i: number) => days.slice(i).reduce((a, b) => a + b, 0);
  const unused = parts.map(({ plan, day: begun, credit: given = exact(0) }, i) => {
    const [less, rest] = [exact(parts[i - 1]?.plan.fee ?? plan.fee).minus(plan.fee), billing.to - begun];
    const isShort = less.gt(0) && !given.eq(part(deal, less, rest, billing.whole));
    // Of a credit that was less than the difference, less is charged again.
    const [amount, whole] = isShort ? [given, rest] : [less, billing.whole];
    return amount.times(rest - from(i)).div(whole);
  });
  const lines = [line('recurring_fee', '', part(deal, parts[0].plan.fee, from(0), billing.whole))];
  // Beyond what is left of its invoice goes back what is charged again of credits.
  let again = sum(unused.filter((amount) => amount.gt(0)));
  for (const [i, { charge: made = null }] of [...parts.entries()].toReversed()) {
    const back = (unused[i] ?? exact(0)).negated();
    if (!made?.invoice || back.lte(0))
      lines.push(line('proration', '', rounded(deal, back).negated(), { isBack: back.lt(0) }));
    else {
      const left = net([made]);
      const wanted = back.times(left).div(made.amount);
      const own = BigNumber.min(wanted, left, withoutTax(life, made.invoice.left));
      const beyond = BigNumber.min(wanted.minus(own), again);
      made.invoice.left = made.invoice.left.minus(withTax(life, own));
      again = again.minus(beyond);
      lines.push(line('proration', '', rounded(deal, own.plus(beyond)).negated(), { isBack: true }));
    }
  }
  life.fee = life.fee.plus(total(lines));
  return lines;
}

/** In advance: what goes back of the fee; what of it is on no invoice yet is taken off again. */
function takenBack(life: Life, day: number, ending: Ending): Line[] {
  const { deal, plan, billing, ahead, fee } = life;
  const back = {
    charge_full: exact(0),
    refund: fee,
    charge_prorated: part(deal, plan.fee, billing.to - day, billing.whole),
  };
  if (ending === null) return [];
  const waiting = total(ahead.filter(({ invoice }) => !invoice));
  const issued = ahead.filter(({ invoice }) => invoice);
  const [gross, left] = [total(issued), waiting.minus(life.goneWaiting)];
  const waived = BigNumber.max(BigNumber.min(back[ending], left, net(issued).plus(left).minus(life.gone)), 0);
  life.fee = fee.minus(back[ending]);
  const wanted = back[ending].minus(waived).times(net(issued)).div(gross);
  if (gross.gt(0)) credit(life, rounded(deal, wanted), waiting, waived);
  return [line('proration', '', waived.negated())];
}

function issue(
  life: Life,
  kind: string,
  own: Line[],
  { about = life.period, isDueOnly = false }: { about?: Days; isDueOnly?: boolean },
): void {
  const { deal, used, pending, outcome, held } = life;
  const isProration = kind === 'proration';
  const lines = [...(isProration ? [] : pending), ...own].toSorted(
    (a, b) => TYPES.indexOf(a.type) - TYPES.indexOf(b.type),
  );
  // What is held without an invoice is listed elsewhere.
  const ofInvoice = isProration ? [] : held.splice(0).sort();
  if (isDueOnly && lines.every(({ amount }) => amount.isZero())) return;
  const acting = new Set<number>();
  const all = [...lines, ...discountLines(deal, lines, { used, isProration, acting })];
  if (lines.some((one) => one === life.ahead[0])) life.feeShare = percentsLeft(deal, (i) => acting.has(i));
  const subtotal = total(all);
  const tax = taxOf(deal, subtotal);
  const whole = subtotal.plus(tax);
  const charges = total(all.filter(({ type, amount }) => type !== 'proration' || amount.gt(0)));
  const invoice = { left: BigNumber.max(withTax(life, charges), 0) };
  for (const one of lines) one.invoice = invoice;
  outcome.invoices.push({
    ...{ kind, from: life.at(about.from), to: life.at(about.to), subtotal: subtotal.toFixed() },
    lines: all.map(({ type, metric, of, amount }) => `${type} ${metric} ${of} ${amount.toFixed()}`).sort(),
    held: ofInvoice,
    ...{ tax: tax.toFixed(), due: BigNumber.max(whole.minus(life.credits), 0).toFixed() },
  });
  // What is below nought is credit for those behind it.
  life.credits = BigNumber.max(life.credits.minus(whole), 0);
  if (!isProration) pending.splice(0);
}
