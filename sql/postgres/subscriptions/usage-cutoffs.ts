import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { firstRow, type Transaction } from '../postgres.ts';

type PeriodKey = { accountId: string; subscriptionId: string; periodIndex: number };

/** The stream position up to which a period's closing counts usage, or undefined before it is sealed. */
async function findSeal(tx: Transaction, period: PeriodKey): Promise<bigint | undefined> {
  const answer = await tx.query<{ position: string }>(
    'SELECT position FROM seals WHERE account_id = $1 AND subscription_id = $2 AND period_index = $3',
    [period.accountId, period.subscriptionId, period.periodIndex],
  );
  const row = firstRow(answer);
  return row && BigInt(row.position);
}

/** Keeps the seal of a period and returns the one that holds: the first one kept wins, whoever raced (architecture#temporal). */
export async function insertSeal(
  tx: Transaction,
  period: PeriodKey,
  seal: { position: bigint; sealedAt: Instant },
): Promise<bigint> {
  await tx.query(
    `INSERT INTO seals (account_id, subscription_id, period_index, position, sealed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    [
      period.accountId,
      period.subscriptionId,
      period.periodIndex,
      seal.position.toString(),
      isoFromInstant(seal.sealedAt),
    ],
  );
  const kept = await findSeal(tx, period);
  if (kept === undefined) throw new Error(`no seal of ${period.subscriptionId} period ${period.periodIndex}`);
  return kept;
}
