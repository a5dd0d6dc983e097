import { firstRow, type Transaction } from '../postgres.ts';

/** A call that changes a subscription: what it is known by if it is repeated, and the operation that it is done under. */
export type UnansweredCall = { accountId: string; subscriptionId: string; callHash: string; operationId: string };

type Row = { operation_id: string; is_lost: boolean };

/** The same call as it was made before, if its answer has not been sent. */
export type EarlierCall = { operationId: string; isLost: boolean };

/** How long a call whose answer was lost can be repeated (spec/subscriptions#repeats). */
const REPEATABLE = "interval '60 seconds'";
/** A call is over within CALL_TIMEOUT_SECONDS. If its process was killed, it can be repeated for as long as one that was lost. */
const RUNNING = "interval '2 minutes'";

/**
 * Notes a call that begins. Returns the same call if it was made before and its answer has not been sent. Earlier calls that change the
 * same subscription in another way are forgotten: to repeat one of those after this call means something new.
 */
export async function noteCall(tx: Transaction, call: UnansweredCall): Promise<EarlierCall | undefined> {
  const { accountId, subscriptionId, callHash, operationId } = call;
  await forgetOtherCalls(tx, call);
  const answer = await tx.query<Row>(
    `INSERT INTO unanswered_calls (account_id, subscription_id, call_hash, operation_id, expires_at)
     VALUES ($1, $2, $3, $4, now() + ${RUNNING})
     ON CONFLICT (account_id, subscription_id, call_hash) DO UPDATE SET call_hash = excluded.call_hash
     RETURNING operation_id, is_lost`,
    [accountId, subscriptionId, callHash, operationId],
  );
  const row = firstRow(answer);
  return row && row.operation_id !== operationId ? { operationId: row.operation_id, isLost: row.is_lost } : undefined;
}

/** Forgets the calls of a subscription but for this one, unless its time is over. */
export async function forgetOtherCalls(
  tx: Transaction,
  { accountId, subscriptionId, callHash }: Omit<UnansweredCall, 'operationId'>,
): Promise<void> {
  await tx.query(
    `DELETE FROM unanswered_calls
     WHERE account_id = $1 AND subscription_id = $2 AND (call_hash <> $3 OR expires_at <= now())`,
    [accountId, subscriptionId, callHash],
  );
}

/** Returns the call as it stands under its operation; undefined if its answer has been sent. */
export async function findCall(tx: Transaction, call: UnansweredCall): Promise<EarlierCall | undefined> {
  const { accountId, subscriptionId, callHash, operationId } = call;
  const answer = await tx.query<Row>(
    `SELECT operation_id, is_lost FROM unanswered_calls
     WHERE account_id = $1 AND subscription_id = $2 AND call_hash = $3 AND operation_id = $4`,
    [accountId, subscriptionId, callHash, operationId],
  );
  const row = firstRow(answer);
  return row && { operationId: row.operation_id, isLost: row.is_lost };
}

/** Notes that a call has ended without an answer: from now on a repeat finds its result. */
export async function noteLostCall(tx: Transaction, call: UnansweredCall): Promise<void> {
  const { accountId, subscriptionId, callHash, operationId } = call;
  await tx.query(
    `INSERT INTO unanswered_calls (account_id, subscription_id, call_hash, operation_id, is_lost, expires_at)
     VALUES ($1, $2, $3, $4, true, now() + ${REPEATABLE})
     ON CONFLICT (account_id, subscription_id, call_hash) DO UPDATE
       SET operation_id = excluded.operation_id, is_lost = true, expires_at = excluded.expires_at`,
    [accountId, subscriptionId, callHash, operationId],
  );
}

/** Forgets a call whose answer has been sent. */
export async function forgetCall(tx: Transaction, call: UnansweredCall): Promise<void> {
  const { accountId, subscriptionId, callHash, operationId } = call;
  await tx.query(
    `DELETE FROM unanswered_calls
     WHERE account_id = $1 AND subscription_id = $2 AND call_hash = $3 AND operation_id = $4`,
    [accountId, subscriptionId, callHash, operationId],
  );
}
