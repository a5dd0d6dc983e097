import { Temporal } from 'temporal-polyfill';
import { addDays, type Instant, localDateAt, startOfLocalDay } from '../../core/instants.ts';

export type Granularity = 'total' | 'day' | 'hour';
/** Half-open. */
export type Interval = { startsAt: Instant; endsAt: Instant };
/** From `startsAt` to the next stretch, local time is UTC plus `offset` milliseconds. */
export type ZoneStretch = { startsAt: Instant; offset: number };

const HOUR = 3_600_000;

/**
 * The buckets that fill the half-open interval without gap, in order; the first and the last are clipped to it (spec/metrics#usage).
 * Days start as `startOfLocalDay` says. Hours are those of the clock on the wall: one starts at each full hour and where
 * the clock is moved, so an hour that is shown twice is two buckets. Empty where `start` is not before `end`.
 */
export function bucketsOf(granularity: Granularity, start: Instant, end: Instant, timeZone: string): Interval[] {
  if (start >= end) return [];
  const starts = [start, ...innerBoundaries(granularity, start, end, timeZone)];
  return starts.map((startsAt, i) => ({ startsAt, endsAt: starts[i + 1] ?? end }));
}

/** How the zone's offset from UTC runs from `start` to `end`: the first stretch starts at `start`, each other one later. */
export function zoneStretches(start: Instant, end: Instant, timeZone: string): ZoneStretch[] {
  const stretches: ZoneStretch[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone);
  for (;;) {
    stretches.push({ startsAt: at.epochMilliseconds, offset: at.offsetNanoseconds / 1e6 });
    const next = at.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= end) return stretches;
    at = next;
  }
}

function innerBoundaries(granularity: Granularity, start: Instant, end: Instant, timeZone: string): Instant[] {
  if (granularity === 'total') return [];
  return granularity === 'day' ? dayStarts(start, end, timeZone) : hourStarts(start, end, timeZone);
}

function dayStarts(start: Instant, end: Instant, timeZone: string): Instant[] {
  const starts: Instant[] = [];
  let last = start;
  for (let date = localDateAt(start, timeZone); ; ) {
    date = addDays(date, 1);
    const startsAt = startOfLocalDay(date, timeZone);
    if (startsAt >= end) return starts;
    // A day that was skipped altogether starts with the next one: one bucket, not an empty second one.
    if (startsAt > last) starts.push(startsAt);
    last = Math.max(last, startsAt);
  }
}

function hourStarts(start: Instant, end: Instant, timeZone: string): Instant[] {
  const stretches = zoneStretches(start, end, timeZone);
  return stretches.flatMap(({ startsAt, offset }, i) => {
    const starts = i === 0 ? [] : [startsAt];
    const until = stretches[i + 1]?.startsAt ?? end;
    const sinceFullHour = (startsAt + offset) % HOUR;
    for (let at = startsAt - sinceFullHour + HOUR; at < until; at += HOUR) starts.push(at);
    return starts;
  });
}
