import { JsonText, stringifyExactJson, stringifyWithin } from '../../runtime/exact-json.ts';
import { type AnswerRoom, PAGE_BYTES } from './page-window.ts';
import { firstRow, type Transaction } from './postgres.ts';

/** What a call answered, and the fingerprint of what it was asked. */
export type OperationResult = { requestHash: string; status: number; body: unknown };

/** A result whose body is its JSON as it was answered; null without a body. */
export type KeptResult = OperationResult & { body: JsonText | null };

/** How long a result is found again (spec/api#idempotency-key). */
const KEPT = "interval '24 hours'";

/** The first result of an operation, known by any of the ids `$2`, of the last 24 hours. */
const FIRST_RESULT = `FROM operations WHERE account_id = $1 AND operation_id = ANY($2) AND created_at > now() - ${KEPT}
  ORDER BY created_at LIMIT 1`;

/** Returns what an operation, known by any of these ids, was asked when it was done in the last 24 hours; undefined if it was not done. */
export async function findOperation(
  tx: Transaction,
  accountId: string,
  operationIds: string[],
): Promise<Pick<OperationResult, 'requestHash'> | undefined> {
  const answer = await tx.query<{ request_hash: string }>(
    `SELECT result ->> 'request_hash' AS request_hash ${FIRST_RESULT}`,
    [accountId, operationIds],
  );
  const row = firstRow(answer);
  return row && { requestHash: row.request_hash };
}

type ResultRow = { request_hash: string; status: number; body: string | null; is_large: boolean };

/** As {@link findOperation}, with its answer. One kept by the release before may not fit into any room: its large members are left out. */
export async function findResult(
  tx: Transaction,
  accountId: string,
  operationIds: string[],
  room: AnswerRoom,
): Promise<KeptResult | undefined> {
  const find = async (largeBody: string) => {
    const answer = await tx.query<ResultRow>(
      `SELECT request_hash, status, coalesce(octet_length(body) > $3, false) AS is_large,
         CASE WHEN octet_length(body) > $3 THEN ${largeBody} ELSE body END AS body
       FROM (SELECT result ->> 'request_hash' AS request_hash, (result ->> 'status')::int AS status, (result -> 'body')::text AS body
         ${FIRST_RESULT}) kept`,
      [accountId, operationIds, room.bytes],
    );
    return firstRow(answer);
  };
  let row = await find('NULL');
  if (row?.is_large) {
    room.needMore();
    row = await find('json_as_listed(body::jsonb)::text');
  }
  return (
    row && {
      requestHash: row.request_hash,
      status: row.status,
      body: row.body === null ? null : new JsonText(row.body),
    }
  );
}

/** Writes the result of an operation, in the transaction that does it: its body as it is answered, in at most `bytes`. */
export async function insertOperation(
  tx: Transaction,
  accountId: string,
  operationId: string,
  result: OperationResult,
  bytes = PAGE_BYTES,
): Promise<void> {
  const body = result.body === undefined ? undefined : new JsonText(stringifyWithin(result.body, bytes));
  await tx.query(
    `INSERT INTO operations (account_id, operation_id, result) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, operation_id) DO UPDATE SET result = excluded.result, created_at = now()`,
    [accountId, operationId, textOf({ ...result, body })],
  );
}

/**
 * Writes under the first of an operation's ids that it was refused; what it was answered before, under any of them, stays:
 * a repeat with another body is a refusal too.
 */
export async function insertRefusal(
  tx: Transaction,
  accountId: string,
  operationIds: [string, ...string[]],
  result: OperationResult,
): Promise<void> {
  await tx.query(
    `INSERT INTO operations (account_id, operation_id, result)
     SELECT $1, $2, $3 WHERE NOT EXISTS (
       SELECT FROM operations WHERE account_id = $1 AND operation_id = ANY($4) AND created_at > now() - ${KEPT})
     ON CONFLICT (account_id, operation_id) DO UPDATE SET result = excluded.result, created_at = now()
     WHERE operations.created_at <= now() - ${KEPT}`,
    [accountId, operationIds[0], textOf(result), operationIds],
  );
}

/** An answer as a row holds it. */
export function textOf({ requestHash, status, body }: OperationResult): string {
  return stringifyExactJson({ request_hash: requestHash, status, body });
}

/**
 * Takes an operation, by all of its ids, for this transaction; false while another one does it. A crash lets it go with its
 * connection, so no operation stays taken.
 */
export async function tryLockOperation(tx: Transaction, accountId: string, operationIds: string[]): Promise<boolean> {
  const sql = `SELECT bool_and(pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || id, 0))) AS taken FROM unnest($2::text[]) AS id`;
  return firstRow(await tx.query<{ taken: boolean }>(sql, [accountId, operationIds]))?.taken === true;
}
