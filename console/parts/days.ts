import { useQuery } from '@tanstack/react-query';
import { recordQuery } from '../api/queries.ts';

const DAY_MS = 86_400_000;

/** Today's date in UTC: by the test clock that a customer lives by, else by the clock of whoever looks. */
export function useToday(testClockId: string | null | undefined): string {
  const path = { test_clock_id: testClockId ?? '' };
  const clock = useQuery({
    ...recordQuery('/api/test-clocks/{test_clock_id}', { path }),
    enabled: Boolean(testClockId),
  });
  return clock.data?.frozen_time.slice(0, 10) ?? dateOf(Date.now());
}

export function daysBefore(date: string, days: number): string {
  return dateOf(Date.parse(`${date}T00:00:00Z`) - days * DAY_MS);
}

/** The date of an instant in a time zone. */
export function dateIn(zone: string, instant: string): string {
  // Sweden writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date(instant));
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
