const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

const EARLIEST = Date.UTC(2000, 0, 1);
/** The last instant that can be stored. */
const LATEST = Date.UTC(2299, 11, 31, 23, 59, 59, 999);

/** What is wrong with an event's time by spec/events#fields, whatever the time is now; undefined for a good one. */
export function eventTimeError(text: string): string | undefined {
  const instant = instantOf(text);
  if (instant === undefined) return 'Must be an ISO 8601 date-time with Z or an offset.';
  if (instant < EARLIEST) return 'Must not be before 2000-01-01.';
  return instant > LATEST ? 'Must not be after 2299-12-31, the last day that can be stored.' : undefined;
}

/** Milliseconds since 1970; undefined for what is no date-time with a zone. */
function instantOf(text: string): number | undefined {
  const found = DATE_TIME.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHours, offsetMinutes] = found;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that does not exist is another one.
  if (date.toISOString().slice(0, 10) !== `${year}-${month}-${day}`) return undefined;
  const ofDay = instantOfDay(Number(hour), Number(minute), Number(second ?? 0));
  const offset = instantOfDay(Number(offsetHours ?? 0), Number(offsetMinutes ?? 0), 0);
  if (ofDay === undefined || offset === undefined) return undefined;
  const ms = Number((fraction ?? '').slice(0, 3).padEnd(3, '0'));
  return date.getTime() + ofDay + ms - (sign === '-' ? -offset : offset);
}

/** Milliseconds since midnight; undefined where no clock shows that. */
function instantOfDay(hour: number, minute: number, second: number): number | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return ((hour * 60 + minute) * 60 + second) * 1_000;
}
