import type { Clock } from '../runtime/clock.ts';
import { parseExactJson } from '../runtime/exact-json.ts';
import type { Caller } from '../runtime/http/api-key.ts';
import { fingerprintOf } from '../stream/fingerprint.ts';
import { partitionOf } from '../stream/subjects.ts';
import { encodeUsageEvent, type UsageEvent } from '../stream/usage-message.ts';
import type { GroupCommit } from './group-commit.ts';
import { parseTrackBody } from './parse-body.ts';
import { usageEventFromBody } from './usage-event-input.ts';

export type TrackDependencies = {
  clock: Clock;
  /** Throws where the stream has not been found yet. */
  partitions(): number;
  groupCommit: GroupCommit;
};

/**
 * Accepts one usage event (contract 4): resolves with its id once the stream has it on disk. `text` is the body.
 * @throws BadJson (400), DomainError `invalid` (422) or `unavailable` (503).
 */
export async function track(text: string, caller: Caller, dependencies: TrackDependencies): Promise<string> {
  const event = readEvent(text, caller, dependencies.clock.now());
  const partitions = dependencies.partitions();
  const partition = partitions === 1 ? 0 : partitionOf(fingerprintOf(event.accountId, event.idempotencyId), partitions);
  await dependencies.groupCommit.add(partition, encodeUsageEvent(event));
  return event.idempotencyId;
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
