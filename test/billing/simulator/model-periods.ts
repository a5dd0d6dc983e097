import type { LifeSubscription } from './life.ts';
import { dayOfText } from './model-calendar.ts';

/** The model's periods: one day after another is looked at. It shares nothing with billing/periods/calendars.ts. */

type Script = Pick<LifeSubscription, 'startDate' | 'days' | 'calendar' | 'anchorDay'>;

const MONTHS = { 30: 1, 90: 3, 365: 12 };
const known = new WeakMap<Script, number[]>();

/** The first day of period `k`. */
export function firstDayOf(script: Script, k: number): number {
  const start = dayOfText(script.startDate);
  if (script.calendar === 'fixed_days') return start + k * script.days;
  const firsts = known.get(script) ?? [start];
  known.set(script, firsts);
  for (let day = (firsts.at(-1) ?? start) + 1; firsts.length <= k; day++) if (isBoundary(script, day)) firsts.push(day);
  return firsts[k] ?? start;
}

/** The period that a day from the start date on lies in. */
export function periodOn(script: Script, day: number): number {
  let k = 0;
  while (firstDayOf(script, k + 1) <= day) k++;
  return k;
}

/** Days of a period, and of the whole one that it is a part of. */
export function daysIn(script: Script, k: number): { days: number; whole: number } {
  const [from, to] = [firstDayOf(script, k), firstDayOf(script, k + 1)];
  let wholeFrom = from;
  if (script.calendar === 'calendar') while (!isBoundary(script, wholeFrom)) wholeFrom--;
  return { days: to - from, whole: to - wholeFrom };
}

function isBoundary({ startDate, days, calendar, anchorDay }: Script, day: number): boolean {
  const [start, date] = [new Date(startDate), new Date(day * 86_400_000)];
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const [month, dayOfMonth] = calendar === 'calendar' ? [0, anchorDay ?? 1] : [start.getUTCMonth(), start.getUTCDate()];
  const isMonth = (date.getUTCMonth() - month + 12) % MONTHS[days] === 0;
  return isMonth && date.getUTCDate() === Math.min(dayOfMonth, lastDay);
}
