import { acceptedBitmap, type Claim, readBitmap } from '../stream/claims.ts';
import { FINGERPRINT_WORDS } from '../stream/fingerprint.ts';
import type { Batch } from './batch.ts';
import { createIdSet, type IdSet } from './id-set.ts';
import { countTallies } from './tally.ts';

/** Which events of a batch are to land, in order of position, and all its ids. */
export type Decision = { accepted: boolean[]; ids: IdSet };

/**
 * Decides which events of a batch are the first with their id: the lowest position wins, within the batch and against
 * everything before it: what has landed (`landed`: which of the batch's events have an id that did) and the batch right
 * before it (`before`: all its ids), which may still be landing.
 */
export function decideBatch(batch: Batch, landed: readonly boolean[], before?: IdSet): Decision {
  const { fingerprints } = batch;
  const ids = createIdSet(landed.length);
  const accepted = landed.map((hasLanded, i) => {
    const at = i * FINGERPRINT_WORDS;
    return ids.add(fingerprints, at) && !hasLanded && !before?.has(fingerprints, at);
  });
  return { accepted, ids };
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
    events: accepted.length,
    accepted: acceptedBitmap(accepted),
    dead: batch.undecodable.map(({ sequence }) => sequence),
    received_at: batch.receivedAt,
    writer: writer.id,
    counts: countTallies(batch.tallies, accepted),
  };
}

/**
 * Which events of a claim are to land, from the same messages read again. Throws where they are not what was claimed: then
 * nothing may land before a person has looked.
 */
export function acceptedByClaim(batch: Batch, claim: Claim): boolean[] {
  const events = batch.tallies.length;
  if (batch.from !== claim.from || batch.to !== claim.to || events !== claim.events) {
    throw new Error(`The stream holds ${events} events where the claim has ${claim.events}.`);
  }
  const isAccepted = readBitmap(claim.accepted);
  return batch.tallies.map((_, i) => isAccepted(i));
}
