import type { UsageEvent } from '../../stream/usage-event.ts';
import { startOf, type UsageRows } from '../../stream/usage-row.ts';

const SCALE = 10n ** 18n;

/** A row taken apart again, as https://clickhouse.com/docs/interfaces/formats/RowBinary says: nobody but a test needs to. */
export type ReadRow = UsageEvent & { fingerprint: string; position: bigint; epoch: number };

export function readRows(rows: UsageRows): ReadRow[] {
  const bytes = Buffer.from(rows.bytes);
  return Array.from(rows.ends, (end, i) => {
    const row = bytes.subarray(startOf(rows, i), end);
    let at = 0;
    const skip = (count: number) => {
      at += count;
      return at - count;
    };
    const length = () => {
      for (let [value, shift] = [0, 0]; ; shift += 7) {
        const byte = row[skip(1)] ?? 0;
        value |= (byte & 127) << shift;
        if (byte < 128) return value;
      }
    };
    const text = () => {
      const size = length();
      const start = skip(size);
      return row.toString('utf8', start, start + size);
    };
    const map = <T>(value: () => T) => Object.fromEntries(Array.from({ length: length() }, () => [text(), value()]));
    const instant = () => Number(row.readBigInt64LE(skip(8)));
    const decimal = () => plain(row.readBigUInt64LE(skip(8)) + (row.readBigInt64LE(skip(8)) << 64n));
    const event = {
      ...{ accountId: text(), customerId: text(), eventName: text(), timeCreated: instant(), idempotencyId: text() },
      ...{ numbers: map(decimal), strings: map(text), booleans: map(() => row[skip(1)] === 1), receivedAt: instant() },
    };
    const fingerprint = Buffer.from(row.subarray(at, skip(16) + 16)).reverse();
    const place = { position: row.readBigUInt64LE(skip(8)), epoch: row.readUInt32LE(skip(4)) };
    if (at !== row.length) throw new Error(`Row ${i} has ${row.length - at} bytes too many.`);
    return { ...event, fingerprint: fingerprint.toString('hex'), ...place };
  });
}

function plain(scaled: bigint): string {
  const [sign, size] = scaled < 0n ? ['-', -scaled] : ['', scaled];
  const decimals = (size % SCALE).toString().padStart(18, '0').replace(/0+$/, '');
  return `${sign}${size / SCALE}${decimals && `.${decimals}`}`;
}
