import type { PeriodKey } from '../../../billing/periods/periods.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';

/**
 * Keeps the stream position up to which the closings of these periods count usage, and returns the one that holds for each, in their
 * order: the first one kept wins, whoever raced (architecture#temporal).
 */
export async function insertUsageCutoffs(
  tx: Transaction,
  accountId: string,
  periods: readonly PeriodKey[],
  cutoff: { position: bigint; fixedAt: Instant },
): Promise<bigint[]> {
  const { rows } = await tx.query<{ subscription_id: string; period_index: number; position: string }>(
    `INSERT INTO seals AS s (account_id, subscription_id, period_index, position, sealed_at)
     SELECT $1, u.subscription_id, u.period_index, $4, $5 FROM unnest($2::text[], $3::int[]) AS u (subscription_id, period_index)
     ON CONFLICT (account_id, subscription_id, period_index) DO UPDATE SET position = s.position
     RETURNING s.subscription_id, s.period_index, s.position`,
    [
      accountId,
      periods.map(({ subscriptionId }) => subscriptionId),
      periods.map(({ periodIndex }) => periodIndex),
      cutoff.position.toString(),
      isoFromInstant(cutoff.fixedAt),
    ],
  );
  return periods.map(({ subscriptionId, periodIndex }) => {
    const kept = rows.find((row) => row.subscription_id === subscriptionId && row.period_index === periodIndex);
    if (!kept) throw new Error(`no usage cutoff of ${subscriptionId} period ${periodIndex}`);
    return BigInt(kept.position);
  });
}
