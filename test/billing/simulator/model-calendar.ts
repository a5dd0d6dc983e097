/** The model's calendar: days as numbers since 1970, and Intl for zones. It shares nothing with core/instants.ts. */
const DAY = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();
const starts = new Map<string, number>();

export function dayOfText(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY;
}

export function textOfDay(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** The calendar day that is shown in the zone. */
export function dayAt(instant: number, zone: string): number {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(zone, format);
  }
  return dayOfText(format.format(instant));
}

/** The first instant at which the zone shows that day or a later one. */
export function startOfDay(day: number, zone: string): number {
  const key = `${day} ${zone}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  let before = (day - 1) * DAY;
  let after = (day + 1) * DAY;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayAt(middle, zone) >= day) after = middle;
    else before = middle;
  }
  starts.set(key, after);
  return after;
}
