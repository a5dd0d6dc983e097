import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { recordQuery } from '../api/queries.ts';
import { Zone } from './times.tsx';

const DAY_MS = 86_400_000;

/** Today's date in the page's zone: by the test clock that a customer lives by, else by the clock of whoever looks. */
export function useToday(testClockId: string | null | undefined): string {
  const zone = useContext(Zone);
  const path = { test_clock_id: testClockId ?? '' };
  const clock = useQuery({
    ...recordQuery('/api/test-clocks/{test_clock_id}', { path }),
    enabled: Boolean(testClockId),
  });
  return dateIn(zone, clock.data?.frozen_time ?? new Date().toISOString());
}

/** The date so many days later, or earlier; what is no date stays as it is, for the API to say so. */
export function addDays(date: string, days: number): string {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? date : new Date(at + days * DAY_MS).toISOString().slice(0, 10);
}

/** The date of an instant in a time zone. */
export function dateIn(zone: string, instant: string): string {
  // Sweden writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date(instant));
}
