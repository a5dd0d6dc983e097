import ipaddr from 'ipaddr.js';
import type { Instant } from '../../core/instants.ts';
import type { Clock } from '../../runtime/clock.ts';
import { HttpError } from '../../runtime/http/errors.ts';

/** So many failures within this time, and whoever asks from there waits (spec/accounts#sessions). */
const MOST_FAILURES = 10;
const WITHIN_MS = 60_000;

/**
 * Judges attempts to log in, those of one address one after another, so that not even a burst is judged before its failures are
 * counted. An attempt that answers undefined, or throws, has failed.
 */
export type JudgeLogin = <T>(address: string, attempt: () => Promise<T | undefined>) => Promise<T | undefined>;

/**
 * Counts failures by the address that connects, in this process.
 * @throws HttpError 429 where too many attempts from an address have failed, without judging this one: a good key waits, too.
 */
export function countFailedLogins(clock: Clock): JudgeLogin {
  /** The last failures of each address. The address whose newest failure is oldest comes first. */
  const failures = new Map<string, Instant[]>();
  const turns = new Map<string, Promise<unknown>>();

  function recentOf(place: string): Instant[] {
    return (failures.get(place) ?? []).filter((at) => clock.now() - at < WITHIN_MS);
  }

  function count(place: string, recent: Instant[]): void {
    failures.delete(place);
    failures.set(place, [...recent, clock.now()]);
    for (const other of failures.keys()) {
      if (recentOf(other).length > 0) break;
      failures.delete(other);
    }
  }

  async function judge<T>(place: string, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
    const recent = recentOf(place);
    const [oldest = 0] = recent.slice(-MOST_FAILURES);
    if (recent.length >= MOST_FAILURES) throw tooMany(oldest + WITHIN_MS - clock.now());
    let answer: T | undefined;
    try {
      answer = await attempt();
      return answer;
    } finally {
      if (answer === undefined) count(place, recent);
    }
  }

  return async (address, attempt) => {
    const place = networkOf(address);
    const mine = (turns.get(place) ?? Promise.resolve()).then(() => judge(place, attempt));
    const over = mine.catch(() => {});
    turns.set(place, over);
    try {
      return await mine;
    } finally {
      if (turns.get(place) === over) turns.delete(place);
    }
  };
}

/** Whoever has one IPv6 address has the 2^64 of its network: those count as one. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : address;
}

function tooMany(waitMs: number): HttpError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new HttpError(429, `Too many attempts to log in have failed. Try again in ${seconds} seconds.`, {
    'Retry-After': String(seconds),
  });
}
