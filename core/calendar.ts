import { remembered } from './remembered.ts';

/** A calendar date, `YYYY-MM-DD`, years 0000 to 9999, proleptic Gregorian. */
export type LocalDate = string;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** How many days month `month` (1 to 12) of `year` has; 0 for a month that does not exist. */
export function daysInMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

/** Days from 1970-01-01 to the given date (Howard Hinnant's algorithm: a year counted from March). */
export function epochDay(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** True for an existing date in exactly the form `YYYY-MM-DD`. */
export function isLocalDate(text: string): text is LocalDate {
  return parse(text) !== null;
}

/** `date` plus `n` calendar days (n may be negative). Throws outside the years 0000 to 9999. */
export const addDays = remembered((date: LocalDate, n: number): LocalDate => {
  if (!Number.isSafeInteger(n)) throw new Error(`addDays: ${n} is not a whole number of days`);
  const text = new Date((dayOf(date) + n) * 86_400_000).toISOString();
  if (text.length !== 24) throw new Error(`addDays: ${date} + ${n} days is outside the years 0000 to 9999`);
  return text.slice(0, 10);
});

/** Calendar days from `a` to `b`: 1 from a day to the next, negative where `b` is earlier. */
export function daysBetween(a: LocalDate, b: LocalDate): number {
  return dayOf(b) - dayOf(a);
}

function dayOf(date: LocalDate): number {
  const day = parse(date);
  if (day === null) throw new Error(`${JSON.stringify(date)} is not a date`);
  return day;
}

function parse(text: string): number | null {
  if (!DATE.test(text)) return null;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  return day >= 1 && day <= daysInMonth(year, month) ? epochDay(year, month, day) : null;
}
