import { fingerprintOf } from '../stream/fingerprint.ts';
import { positionOf } from '../stream/positions.ts';
import type { UsageEvent } from '../stream/usage-event.ts';
import { encodeUsageMessage } from '../stream/usage-message.ts';
import { encodeUsageEvent } from '../stream/usage-row.ts';

/** Events of one stored message: what a busy edge makes. */
export const GROUP = 500;

const DAY_MS = 86_400_000;

/** Event `i` of a run: a thousand customers, 30 days, two numbers, two strings, a boolean. */
function benchEvent(tag: string, i: number): UsageEvent {
  return {
    accountId: 'acct_01jd0benchbenchbenchbench0',
    customerId: `customer-${i % 1_000}`,
    eventName: 'api_call',
    timeCreated: Date.UTC(2026, 10, 1) + ((i * 7_919) % (30 * DAY_MS)),
    idempotencyId: `${tag}-${i}`,
    numbers: { bytes: `${i}.25`, tokens: String(i % 1_000) },
    strings: { region: 'eu-west-1', model: `m${i % 5}` },
    booleans: { cached: i % 2 === 0 },
    receivedAt: Date.UTC(2026, 10, 30) + i,
  };
}

/** The same events as messages of the stream; `idOf`: which of them comes `i`th. */
export function benchMessages(tag: string, count: number, idOf = (i: number) => i): Uint8Array[] {
  return Array.from({ length: Math.ceil(count / GROUP) }, (_, group) => {
    const size = Math.min(GROUP, count - group * GROUP);
    return encodeUsageMessage(
      Array.from({ length: size }, (_, k) => encodeUsageEvent(benchEvent(tag, idOf(group * GROUP + k)))),
    );
  });
}

/** The same events as rows of ClickHouse. */
export function benchRow(tag: string, i: number) {
  const event = benchEvent(tag, i);
  const fingerprint = fingerprintOf(event.accountId, event.idempotencyId);
  return { ...event, fingerprint, position: positionOf(1 + Math.floor(i / GROUP), i % GROUP), epoch: 1 };
}
