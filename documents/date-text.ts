import { type Instant, type LocalDate, localDateAt } from '../core/instants.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `5 Mar 2026`: no reader takes the day for the month. */
export function dateText(date: LocalDate): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** `1 Mar 2026 – 30 Mar 2026`: the first and the last day of a half-open period. */
export function periodText(start: Instant, end: Instant, timeZone: string): string {
  const [first, last] = [localDateAt(start, timeZone), localDateAt(Math.max(start, end - 1), timeZone)];
  return first === last ? dateText(first) : `${dateText(first)} – ${dateText(last)}`;
}
