import type { Fingerprint } from './fingerprint.ts';

export const USAGE_STREAM = 'USAGE';
export const LANDINGS_STREAM = 'LANDINGS';
export const DEAD_LETTERS_STREAM = 'DEAD_LETTERS';

/** Groups of accepted events of one partition. */
export const usageSubject = (partition: number) => `usage.${partition}`;

/** Where the server tells, in headers alone and perhaps not at all, that a message of {@link usageSubject} is stored. */
export const storedSubject = (partition: number) => `stored.${partition}`;

/** Batches that a writer is about to insert. */
export const claimSubject = (partition: number) => `claim.${partition}`;

/** Batches that are queryable. */
export const landedSubject = (partition: number) => `landed.${partition}`;

/** Messages that could not be decoded. */
export const deadLetterSubject = (partition: number) => `dead.${partition}`;

/** The partition that a subject of any of these streams belongs to. */
export const partitionOfSubject = (subject: string) => Number(subject.slice(subject.indexOf('.') + 1));

/** The partition whose writer decides about this id: all repeats of an id meet there. */
export function partitionOf(fingerprint: Fingerprint, partitions: number): number {
  return partitions === 1 ? 0 : Number.parseInt(fingerprint.slice(0, 8), 16) % partitions;
}
