import type { PauseBegun } from '../../../billing/change-set.ts';
import type { Pause } from '../../../billing/periods/pauses.ts';
import { type Instant, isoFromInstant, type LocalDate } from '../../../core/instants.ts';
import type { Transaction } from '../postgres.ts';

type PauseRow = {
  subscription_id: string;
  paused_at: Instant;
  paused_on: LocalDate;
  resumed_at: Instant | null;
  resumed_on: LocalDate | null;
};

/** A pause begins; Postgres refuses a second one that goes on. */
export async function insertPause(tx: Transaction, accountId: string, pause: PauseBegun): Promise<void> {
  await tx.query(
    'INSERT INTO pauses (account_id, subscription_id, paused_at, paused_on, reason) VALUES ($1, $2, $3, $4, $5)',
    [accountId, pause.subscriptionId, isoFromInstant(pause.pausedAt), pause.pausedOn, pause.reason],
  );
}

/** The pause that goes on ends. */
export async function updatePauseEnded(
  tx: Transaction,
  accountId: string,
  { subscriptionId, at, on }: { subscriptionId: string; at: Instant; on: LocalDate },
): Promise<void> {
  await tx.query(
    `UPDATE pauses SET resumed_at = $3, resumed_on = $4
     WHERE account_id = $1 AND subscription_id = $2 AND resumed_at IS NULL`,
    [accountId, subscriptionId, isoFromInstant(at), on],
  );
}

/** The pauses of a subscription, oldest first. */
export async function listPauses(tx: Transaction, accountId: string, subscriptionId: string): Promise<Pause[]> {
  const pauses = await listPausesOf(tx, accountId, [subscriptionId]);
  return pauses.get(subscriptionId) ?? [];
}

/** The pauses of several subscriptions, by subscription; one that was never paused is not there. */
export async function listPausesOf(
  tx: Transaction,
  accountId: string,
  subscriptionIds: string[],
): Promise<Map<string, Pause[]>> {
  if (subscriptionIds.length === 0) return new Map();
  const answer = await tx.query<PauseRow>(
    `SELECT subscription_id, paused_at, paused_on, resumed_at, resumed_on
     FROM pauses WHERE account_id = $1 AND subscription_id = ANY($2) ORDER BY seq`,
    [accountId, subscriptionIds],
  );
  const pauses = new Map<string, Pause[]>();
  for (const row of answer.rows) {
    const { paused_at: pausedAt, paused_on: pausedOn, resumed_at: resumedAt, resumed_on: resumedOn } = row;
    const known = pauses.get(row.subscription_id) ?? [];
    pauses.set(row.subscription_id, [...known, { pausedAt, pausedOn, resumedAt, resumedOn }]);
  }
  return pauses;
}
