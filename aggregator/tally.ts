import type { Claim } from '../stream/claims.ts';
import { accountOf, isOfSameAccount, receivedAtOf, type UsageRows } from '../stream/usage-row.ts';

/** Names an account and an hour of receipt, under which events are counted for the audit: `<hour's instant> <account>`. */
export type Tally = string;

const HOUR_MS = 3_600_000;

/** The tallies of events, one for each; neighbours mostly share theirs, so its text is made once. */
export function talliesOf(rows: UsageRows): Tally[] {
  let [hour, tally] = [Number.NaN, ''];
  return Array.from(rows.ends, (_, i) => {
    const receivedAt = receivedAtOf(rows, i);
    const ofHour = receivedAt - (receivedAt % HOUR_MS);
    if (ofHour !== hour || !isOfSameAccount(rows, i)) {
      hour = ofHour;
      tally = `${ofHour} ${accountOf(rows, i)}`;
    }
    return tally;
  });
}

/** Accepted by the edge, and of these repeated, per account and hour: the counts of a claim. */
export function countTallies(tallies: Tally[], accepted: boolean[]): Claim['counts'] {
  const counts = new Map<Tally, Claim['counts'][number]>();
  let [last, count]: [Tally, Claim['counts'][number] | undefined] = ['', undefined];
  tallies.forEach((tally, i) => {
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
