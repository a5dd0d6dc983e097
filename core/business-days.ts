import { addDays, daysBetween, type LocalDate } from './calendar.ts';

/** A Monday to count weekdays from. */
const MONDAY = '1970-01-05';

/** True from Monday to Friday. Public holidays differ by country and bank, and are not known here. */
export function isBusinessDay(date: LocalDate): boolean {
  const weekday = ((daysBetween(MONDAY, date) % 7) + 7) % 7;
  return weekday < 5;
}

/** The `n`-th business day after `date` (n from 0): of a Friday, Saturday or Sunday the first one is Monday. */
export function addBusinessDays(date: LocalDate, n: number): LocalDate {
  let day = date;
  for (let left = n; left > 0; ) {
    day = addDays(day, 1);
    if (isBusinessDay(day)) left--;
  }
  return day;
}
