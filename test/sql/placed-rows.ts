import type { UsageEvent } from '../../stream/usage-event.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';

/** One landed event, with a fingerprint (32 hex digits) and a position of the test's own. */
export type UsageEventRow = UsageEvent & { fingerprint: string; position: bigint; epoch: number };

/** Rows for `insertUsageBatch`: their last 28 bytes are fingerprint, position and epoch. */
export function placedRows(events: readonly UsageEventRow[]): Buffer[] {
  return events.map((event) => {
    const row = encodeUsageEvent(event);
    row.set(Buffer.from(event.fingerprint, 'hex').reverse(), row.length - 28);
    row.writeBigUInt64LE(event.position, row.length - 12);
    row.writeUInt32LE(event.epoch, row.length - 4);
    return row;
  });
}
