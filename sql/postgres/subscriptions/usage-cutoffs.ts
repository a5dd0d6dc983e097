import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { firstRow, type Transaction } from '../postgres.ts';

type PeriodKey = { accountId: string; subscriptionId: string; periodIndex: number };

/** The stream position up to which a period's closing counts usage, or undefined before that is fixed. */
async function findUsageCutoff(tx: Transaction, period: PeriodKey): Promise<bigint | undefined> {
  const answer = await tx.query<{ position: string }>(
    'SELECT position FROM seals WHERE account_id = $1 AND subscription_id = $2 AND period_index = $3',
    [period.accountId, period.subscriptionId, period.periodIndex],
  );
  const row = firstRow(answer);
  return row && BigInt(row.position);
}

/** Keeps the usage cutoff of a period and returns the one that holds: the first one kept wins, whoever raced (architecture#temporal). */
export async function insertUsageCutoff(
  tx: Transaction,
  period: PeriodKey,
  cutoff: { position: bigint; fixedAt: Instant },
): Promise<bigint> {
  await tx.query(
    `INSERT INTO seals (account_id, subscription_id, period_index, position, sealed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    [
      period.accountId,
      period.subscriptionId,
      period.periodIndex,
      cutoff.position.toString(),
      isoFromInstant(cutoff.fixedAt),
    ],
  );
  const kept = await findUsageCutoff(tx, period);
  if (kept === undefined) throw new Error(`no usage cutoff of ${period.subscriptionId} period ${period.periodIndex}`);
  return kept;
}
