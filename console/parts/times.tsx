import { createContext, useContext } from 'react';
import { None } from './numbers.tsx';

/** The time zone in which instants are shown: the customer's, where a page is about one. */
export const Zone = createContext('UTC');

/** An instant, in the page's zone, with the zone's name. */
export function Instant({ at }: { at: string | null }) {
  const zone = useContext(Zone);
  if (at === null) return <None />;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    dateStyle: 'medium',
    timeStyle: 'long',
  });
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {format.format(new Date(at))}
    </time>
  );
}

/** The day of an instant, in the page's zone. */
export function Day({ at }: { at: string | null }) {
  const zone = useContext(Zone);
  if (at === null) return <None />;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'medium' });
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {format.format(new Date(at))}
    </time>
  );
}

/** A date of the calendar, which has no zone. */
export function CalendarDate({ date }: { date: string | null }) {
  if (date === null) return <None />;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'medium' });
  return <time dateTime={date}>{format.format(new Date(`${date}T00:00:00Z`))}</time>;
}
