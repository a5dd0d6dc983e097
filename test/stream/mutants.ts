import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import type { UsageEvent } from '../../stream/usage-event.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';

/** A message of version 2 with a checksum that is right, whatever its contents are. */
export function withChecksum(lengths: readonly number[], rows: Uint8Array, count = lengths.length): Buffer {
  const head = Buffer.alloc(7 + 4 * lengths.length);
  head[0] = 2;
  head.writeUInt16LE(count, 5);
  lengths.forEach((length, i) => {
    head.writeUInt32LE(length, 7 + 4 * i);
  });
  const message = Buffer.concat([head, rows]);
  message.writeUInt32LE(crc32(message.subarray(5)), 1);
  return message;
}

/** What a faulty edge could make of a row: another byte, one too many or too few, or a border between rows in another place. */
type Mutation = { kind: 'other' | 'more' | 'less' | 'border'; row: number; place: number; byte: number };

/**
 * Messages of three rows with one to three mutations each, the checksum made afterwards; the rows are as long as the message
 * says. Always the same ones.
 */
export function mutants(event: (i: number) => UsageEvent, count: number, seed: number): Buffer[] {
  const mutation = fc.record<Mutation>({
    kind: fc.constantFrom('other', 'other', 'other', 'more', 'less', 'border'),
    row: fc.nat(2),
    place: fc.nat(999_999),
    byte: fc.oneof(fc.constantFrom(0, 1, 2, 127, 128, 255), fc.nat(255)),
  });
  const some = fc.sample(fc.array(mutation, { minLength: 1, maxLength: 3 }), { seed, numRuns: count });
  return some.map((mutations, n) => {
    const rows = [0, 1, 2].map((i) => [...encodeUsageEvent(event(3 * n + i))]);
    for (const one of mutations) mutate(rows, one);
    const lengths = rows.map(({ length }) => length);
    return withChecksum(lengths, Buffer.from(rows.flat()));
  });
}

function mutate(rows: number[][], { kind, row, place, byte }: Mutation) {
  const bytes = rows[row] ?? [];
  const at = place % bytes.length;
  if (kind === 'other') bytes[at] = byte;
  if (kind === 'more') bytes.splice(at, 0, byte);
  if (kind === 'less') bytes.splice(at, 1);
  if (kind === 'border') rows[(row + 1) % rows.length]?.unshift(...bytes.splice(at - (byte % 4)));
}
