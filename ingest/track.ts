import { invalid } from '../core/domain-error.ts';
import { newId } from '../core/ids.ts';
import type { Scope } from '../core/scopes.ts';
import type { Clock } from '../runtime/clock.ts';
import { parseExactJson } from '../runtime/exact-json.ts';
import type { Caller } from '../runtime/http/api-key.ts';
import { readQuery } from '../runtime/http/query.ts';
import { fingerprintOf } from '../stream/fingerprint.ts';
import { partitionOf } from '../stream/subjects.ts';
import type { UsageEvent } from '../stream/usage-event.ts';
import { encodeUsageEvent } from '../stream/usage-row.ts';
import type { GroupCommit } from './group-commit.ts';
import { parseTrackBody } from './parse-body.ts';
import { usageEventFromBody } from './usage-event-input.ts';

export type TrackDependencies = {
  clock: Clock;
  /** Throws where the stream has not been found yet. */
  partitions(): number;
  groupCommit: GroupCommit;
};

/** What a key must have to send events. */
export const TRACK_SCOPE: Scope = 'events:write';

/** How its requests are counted, under whichever name they came. */
export const TRACK_ROUTE = '/api/track';

/** An event that is good, on its way into the stream. */
export type Tracked = {
  idempotencyId: string;
  /** Resolves once the stream has it on disk; rejects with DomainError `unavailable` (503) where that is not certain. */
  stored: Promise<void>;
};

/**
 * Takes one usage event. `text` is the body, which came `waitedMs` milliseconds ago.
 * @throws BadJson (400), DomainError `invalid` (422) or `unavailable` (503).
 */
export function track(text: string, caller: Caller, dependencies: TrackDependencies, waitedMs = 0): Tracked {
  const event = readEvent(text, caller, dependencies.clock.now());
  const partitions = dependencies.partitions();
  const partition = partitions === 1 ? 0 : partitionOf(fingerprintOf(event.accountId, event.idempotencyId), partitions);
  const stored = dependencies.groupCommit.add(partition, encodeUsageEvent(event), {
    accountId: event.accountId,
    waitedMs,
  });
  return { idempotencyId: event.idempotencyId, stored };
}

/** The body of the answer to an event that is stored. */
export function acceptedText(idempotencyId: string): string {
  return `{"success":"all","idempotency_id":${JSON.stringify(idempotencyId)},"status":"queued"}`;
}

/** Unique ids of requests of this process for little: a new prefix per start, then a number. */
export function requestIds(): () => string {
  const prefix = newId('req');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}

/** No endpoint of events has parameters. @throws DomainError `invalid` naming those that were sent. */
export function refuseParameters(url = ''): void {
  const at = url.indexOf('?');
  if (at < 0) return;
  const { errors } = readQuery(new URLSearchParams(url.slice(at)), []);
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

function readEvent(text: string, caller: Caller, now: number): UsageEvent {
  const body = parseTrackBody(text);
  try {
    return usageEventFromBody(body, caller, now);
  } catch (error) {
    // Too deep is 400 and comes before 422; a good event is flat, so only a bad one needs the look.
    parseExactJson(text);
    throw error;
  }
}
