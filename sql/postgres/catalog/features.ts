import type { Transaction } from '../postgres.ts';

/** A feature of an account: one id per name (spec/plans#features). It exists where a plan version has ever named it. */
export type FeatureName = { featureId: string; name: string };

/** Those features that have one of the ids or of the names, in no order. */
export async function findFeatures(
  tx: Transaction,
  accountId: string,
  asked: { ids: string[]; names: string[] },
): Promise<FeatureName[]> {
  const answer = await tx.query<{ feature_id: string; name: string }>(
    `SELECT feature_id, name FROM features WHERE account_id = $1 AND feature_id = ANY($2)
     UNION SELECT feature_id, name FROM features WHERE account_id = $1 AND name = ANY($3)`,
    [accountId, asked.ids, asked.names],
  );
  return answer.rows.map((row) => ({ featureId: row.feature_id, name: row.name }));
}
