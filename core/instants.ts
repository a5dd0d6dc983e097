import { Temporal } from 'temporal-polyfill';
import { daysInMonth, epochDay, type LocalDate } from './calendar.ts';
import { remembered } from './remembered.ts';

export { addDays, daysBetween, isLocalDate, type LocalDate } from './calendar.ts';

/** A point in time: whole milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)$/;

/** UTC with milliseconds and `Z`, as every answer writes it: `2026-11-20T10:00:00.000Z` (spec/api#dates). */
export function isoFromInstant(instant: Instant): string {
  return new Date(instant).toISOString();
}

/** As {@link isoFromInstant}, null staying null. */
export function isoOrNull(instant: Instant | null): string | null {
  return instant === null ? null : isoFromInstant(instant);
}

const isoRemembered = remembered(isoFromInstant);

/** As {@link isoOrNull}, for an edge of a period: thousands of an invoice's lines have the same few. */
export function isoOfEdge(instant: Instant | null): string | null {
  return instant === null ? null : isoRemembered(instant);
}

/**
 * The instant of an ISO 8601 date-time with a zone (`Z` or an explicit offset); what is finer than a millisecond is cut
 * off (spec/events#fields). Null for anything else: no zone, a date that does not exist, hour 24, second 60.
 */
export function instantFromIso(text: string): Instant | null {
  const plain = plainInstant(text);
  if (plain !== null) return plain;
  const m = DATE_TIME.exec(text);
  if (m === null) return null;
  const second = secondOf(Number(m[1]), Number(m[2]), Number(m[3]), Number(m[4]), Number(m[5]), Number(m[6] ?? 0));
  const [offsetHours, offsetMinutes] = [Number(m[10] ?? 0), Number(m[11] ?? 0)];
  if (second === null || offsetHours > 23 || offsetMinutes > 59) return null;
  const millisecond = Number((m[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const offset = (m[9] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  return (second - offset * 60) * 1000 + millisecond;
}

/**
 * As nearly all of them are written: `2026-11-20T10:00:00Z`, or with three decimals. Much faster than the pattern, and every
 * event has one. Null for anything else.
 */
function plainInstant(text: string): Instant | null {
  const isWhole = text.length === 20;
  if (!isWhole && (text.length !== 24 || text[19] !== '.')) return null;
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return null;
  if (text[text.length - 1] !== 'Z') return null;
  const [year, month, day] = [numberAt(text, 0, 4), numberAt(text, 5, 2), numberAt(text, 8, 2)];
  const second = secondOf(year, month, day, numberAt(text, 11, 2), numberAt(text, 14, 2), numberAt(text, 17, 2));
  const instant = second === null ? Number.NaN : second * 1000 + (isWhole ? 0 : numberAt(text, 20, 3));
  return Number.isNaN(instant) ? null : instant;
}

/** The number of `size` digits from `at` on; NaN where there is anything else. */
function numberAt(text: string, at: number, size: number): number {
  let value = 0;
  for (let i = at; i < at + size; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Seconds since 1970 at a date and a time in UTC; null where there is no such second. */
function secondOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | null {
  const isOne = day >= 1 && day <= daysInMonth(year, month) && hour <= 23 && minute <= 59 && second <= 59;
  return isOne ? ((epochDay(year, month, day) * 24 + hour) * 60 + minute) * 60 + second : null;
}

/** What a clock on the wall shows there: the date, the ISO weekday (Monday = 1) and the hour (0 to 23). */
export function wallClockAt(instant: Instant, timeZone: string): { date: LocalDate; dayOfWeek: number; hour: number } {
  const local = zoned(instant, timeZone);
  return { date: local.toPlainDate().toString(), dayOfWeek: local.dayOfWeek, hour: local.hour };
}

/** The calendar date in `timeZone` at `instant`. */
export const localDateAt = remembered((instant: Instant, timeZone: string): LocalDate => {
  return zoned(instant, timeZone).toPlainDate().toString();
});

/**
 * The first instant of `date` in `timeZone`: midnight, or where midnight does not exist the first instant after the gap
 * (spec/periods#periods). A day that was skipped altogether starts where the next one does.
 */
export const startOfLocalDay = remembered((date: LocalDate, timeZone: string): Instant => {
  return Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds;
});

/**
 * `date` plus `n` months (n may be negative); a day that the month lacks is its last. Counted from one date, months keep its day: from
 * 31 January 28 February, 31 March. Throws outside the years 0000 to 9999.
 */
export const addMonths = remembered((date: LocalDate, n: number): LocalDate => {
  const text = Temporal.PlainDate.from(date).add({ months: n }).toString();
  if (text.length !== 10) throw new Error(`addMonths: ${date} + ${n} months is outside the years 0000 to 9999`);
  return text;
});

/** True for an IANA time zone name in its own spelling (other stores compare it exactly); offsets are not names. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return zoned(0, text).timeZoneId === text;
  } catch {
    return false;
  }
}

function zoned(instant: Instant, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
}
