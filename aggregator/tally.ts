import type { Instant } from '../billing/instants.ts';
import type { Claim } from '../stream/claims.ts';

/** Names an account and an hour of receipt, under which events are counted for the audit: `<hour's instant> <account>`. */
export type Tally = string;

const HOUR_MS = 3_600_000;

/** The tallies of events, one for each; neighbours mostly share theirs, so its text is made once. */
export function talliesOf(events: readonly { accountId: string; receivedAt: Instant }[]): Tally[] {
  let [account, hour, tally] = ['', Number.NaN, ''];
  return events.map(({ accountId, receivedAt }) => {
    const ofHour = receivedAt - (receivedAt % HOUR_MS);
    if (ofHour !== hour || accountId !== account)
      [account, hour, tally] = [accountId, ofHour, `${ofHour} ${accountId}`];
    return tally;
  });
}

/** Accepted by the edge, and of these repeated, per account and hour: the counts of a claim. */
export function countTallies(events: { tally: Tally }[], accepted: boolean[]): Claim['counts'] {
  const counts = new Map<Tally, Claim['counts'][number]>();
  let [last, count]: [Tally, Claim['counts'][number] | undefined] = ['', undefined];
  events.forEach(({ tally }, i) => {
    if (tally !== last) [last, count] = [tally, counts.get(tally)];
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
