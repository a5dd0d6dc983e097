import { z } from 'zod';

/**
 * A batch that one writer is about to insert: the fence of the aggregator (architecture#the-aggregator). Whoever takes over inserts exactly
 * this again, under the same token, before anything else.
 */
export type Claim = z.infer<typeof claimSchema>;

/** A batch that is in ClickHouse. */
export type Landing = z.infer<typeof landingSchema>;

const counts = z.object({
  account_id: z.string(),
  /** The hour of receipt: milliseconds since the epoch, a whole number of hours. */
  hour: z.int(),
  accepted: z.int(),
  repeated: z.int(),
});

const claimSchema = z.object({
  v: z.literal(1),
  epoch: z.int(),
  partition: z.int(),
  /** Stream sequences of the first and the last message of the batch, both inclusive. */
  from: z.int(),
  to: z.int(),
  /** Events in these messages. */
  events: z.int(),
  /** One bit per event, in order: set where the event is the first with its id. Base64, lowest bit first. */
  accepted: z.base64(),
  /** Sequences of messages that could not be decoded; they hold no events. */
  dead: z.array(z.int()),
  /** When the last event of the batch was received. */
  received_at: z.int(),
  /** Which run of which process wrote this: tells one's own lost answer from another writer. */
  writer: z.string(),
  /** Per account and hour of receipt: accepted by the edge, and how many of these were repeats. */
  counts: z.array(counts),
});

const landingSchema = z.object({
  v: z.literal(1),
  epoch: z.int(),
  partition: z.int(),
  to: z.int(),
  received_at: z.int(),
  writer: z.string(),
});

/** The token under which a batch is inserted: inserting it again under the same token changes nothing. */
export function tokenOf(claim: Pick<Claim, 'epoch' | 'partition' | 'from' | 'to'>): string {
  return `${claim.epoch}/${claim.partition}/${claim.from}-${claim.to}`;
}

/** The bitmap of a claim. */
export function acceptedBitmap(accepted: readonly boolean[]): string {
  const bytes = Buffer.alloc(Math.ceil(accepted.length / 8));
  accepted.forEach((isAccepted, i) => {
    if (isAccepted) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (1 << (i & 7));
  });
  return bytes.toString('base64');
}

/** Reads a claim's bitmap: whether event `i` of the batch (from 0) is accepted. */
export function readBitmap(bitmap: string): (i: number) => boolean {
  const bytes = Buffer.from(bitmap, 'base64');
  return (i) => (((bytes[i >> 3] ?? 0) >> (i & 7)) & 1) === 1;
}

/** Throws on what is not a claim: then nothing may be landed before a person has looked. */
export const parseClaim = (text: string): Claim => claimSchema.parse(JSON.parse(text));

/** Who wrote a claim or a landing, and up to where it goes. Throws on what is neither. */
export const parseWriter = (text: string): Pick<Claim, 'writer' | 'to'> =>
  landingSchema.pick({ writer: true, to: true }).parse(JSON.parse(text));

/** Throws on what is not a landing. */
export const parseLanding = (text: string): Landing => landingSchema.parse(JSON.parse(text));
