/** A place in Postgres' write-ahead log (WAL), in bytes since its beginning. */
export type Lsn = bigint;

const BYTES_OF_LOG = 2n ** 32n;

/** From Postgres' own form, `16/B374D848`. Throws on anything else. */
export function lsnFromText(text: string): Lsn {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) throw new Error(`${text} is no place in a write-ahead log`);
  return BigInt(`0x${high}`) * BYTES_OF_LOG + BigInt(`0x${low}`);
}

/** As Postgres writes it. */
export function lsnToText(lsn: Lsn): string {
  return `${hex(lsn / BYTES_OF_LOG)}/${hex(lsn % BYTES_OF_LOG)}`;
}

/** Where the segment of `segmentBytes` begins that has this place. */
export function segmentStart(lsn: Lsn, segmentBytes: number): Lsn {
  return lsn - (lsn % BigInt(segmentBytes));
}

/** The file name that Postgres gives the segment with this place: 24 hexadecimal digits, in the order of the log. */
export function segmentName(timeline: number, lsn: Lsn, segmentBytes: number): string {
  const perLog = BYTES_OF_LOG / BigInt(segmentBytes);
  const segment = lsn / BigInt(segmentBytes);
  return [BigInt(timeline), segment / perLog, segment % perLog].map((part) => hex(part).padStart(8, '0')).join('');
}

/** Where the segment of this file name begins. */
export function startOfSegment(name: string, segmentBytes: number): Lsn {
  const [log, segment] = [name.slice(8, 16), name.slice(16, 24)].map((part) => BigInt(`0x${part}`));
  return (log ?? 0n) * BYTES_OF_LOG + (segment ?? 0n) * BigInt(segmentBytes);
}

function hex(value: bigint): string {
  return value.toString(16).toUpperCase();
}
