import { acceptedBitmap, type Claim, readBitmap } from '../stream/claims.ts';
import type { Fingerprint } from '../stream/fingerprint.ts';
import type { Batch, PlacedEvent } from './batch.ts';
import { countTallies } from './tally.ts';

/**
 * Which events of a batch are the first with their id: the lowest position wins, within the batch and against everything
 * that landed before (`landed`: those of the batch's ids that did). Events stand in order of position.
 */
export function decideBatch(batch: Batch, landed: ReadonlySet<Fingerprint>): boolean[] {
  const seen = new Set<Fingerprint>();
  return batch.events.map(({ fingerprint }) => {
    if (landed.has(fingerprint) || seen.has(fingerprint)) return false;
    seen.add(fingerprint);
    return true;
  });
}

/** The claim that fixes a decision, so that whoever takes over lands exactly the same. */
export function claimOf(
  batch: Batch,
  accepted: boolean[],
  writer: { epoch: number; partition: number; id: string },
): Claim {
  return {
    v: 1,
    epoch: writer.epoch,
    partition: writer.partition,
    from: batch.from,
    to: batch.to,
    events: batch.events.length,
    accepted: acceptedBitmap(accepted),
    dead: batch.undecodable.map(({ sequence }) => sequence),
    received_at: batch.receivedAt,
    writer: writer.id,
    counts: countTallies(batch.events, accepted),
  };
}

/**
 * The events of a claim, from the same messages read again. Throws where they are not what was claimed: then nothing may
 * land before a person has looked.
 */
export function acceptedEvents(batch: Batch, claim: Claim): PlacedEvent[] {
  if (batch.from !== claim.from || batch.to !== claim.to || batch.events.length !== claim.events) {
    throw new Error(`The stream holds ${batch.events.length} events where the claim has ${claim.events}.`);
  }
  const isAccepted = readBitmap(claim.accepted);
  return batch.events.filter((_, i) => isAccepted(i));
}
