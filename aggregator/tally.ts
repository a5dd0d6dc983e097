import type { Instant } from '../billing/instants.ts';
import type { Claim } from '../stream/claims.ts';

/** Names an account and an hour of receipt, under which events are counted for the audit: `<hour's instant> <account>`. */
export type Tally = string;

const HOUR_MS = 3_600_000;

/** The tally of an event. */
export function tallyOf({ accountId, receivedAt }: { accountId: string; receivedAt: Instant }): Tally {
  return `${receivedAt - (receivedAt % HOUR_MS)} ${accountId}`;
}

/** Accepted by the edge, and of these repeated, per account and hour: the counts of a claim. */
export function countTallies(events: { tally: Tally }[], accepted: boolean[]): Claim['counts'] {
  const counts = new Map<Tally, Claim['counts'][number]>();
  events.forEach(({ tally }, i) => {
    let count = counts.get(tally);
    if (!count) {
      const [hour = '', accountId = ''] = tally.split(' ', 2);
      count = { account_id: accountId, hour: Number(hour), accepted: 0, repeated: 0 };
      counts.set(tally, count);
    }
    count.accepted += 1;
    if (!accepted[i]) count.repeated += 1;
  });
  return [...counts.values()];
}
