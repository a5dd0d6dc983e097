import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { invalid } from '../../core/domain-error.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import { canonicalJson, parseStoredJson, stringifyExactJson } from '../../runtime/exact-json.ts';
import { type Answer, HttpError } from '../../runtime/http/errors.ts';
import {
  findResult,
  insertOperation,
  insertRefusal,
  type OperationResult,
  tryLockOperation,
} from '../../sql/postgres/operations.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import { inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import type { Operation } from '../operation.ts';
import { type OperationIds, operationIds, unkeyedId } from './operation-ids.ts';
import { openAnswer, type Seal, sealAnswer } from './sealed-answer.ts';

/** A call that carries an Idempotency-Key: what it is, and what it was asked. */
export type KeyedCall = OperationIds & { requestHash: string; status: number; seal?: Seal };

const MAX_KEY_LENGTH = 255;

/** Refusals that are not kept: the same call may succeed later (spec/api#idempotency-key). */
const NOT_KEPT = new Set([401, 409, 429, 499]);

/** The first answer to the same call; thrown by {@link writeOnce} and answered by the router. */
export class Replay extends Error {
  readonly result: OperationResult;

  constructor(result: OperationResult) {
    super('the call was done before');
    this.result = result;
  }
}

/**
 * The keyed call of a request, or undefined without the header. Its scope is account, method and path; `sent` is
 * its body as it came, but for the order of its keys: a repeat is known by it before it is judged.
 * @throws DomainError `invalid` for a key that is empty or too long.
 */
export function keyedCall(
  c: Context,
  operation: Operation,
  sent: object,
  { accountId, cipher }: { accountId: string; cipher: SecretCipher },
): KeyedCall | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined || operation.method !== 'post') return undefined;
  if (key === '' || key.length > MAX_KEY_LENGTH) {
    throw invalid({ 'Idempotency-Key': [`Must have 1 to ${MAX_KEY_LENGTH} characters.`] });
  }
  const unkeyed = unkeyedId(stringifyExactJson([operation.method, operation.path, c.req.param(), key]));
  const ids = operationIds(cipher, accountId, unkeyed);
  const call = { ...ids, requestHash: hash('sha256', canonicalJson(sent)), status: operation.success };
  if (operation.secret === undefined) return call;
  return { ...call, seal: { field: operation.secret, idempotencyKey: key, salt: unkeyed, accountId, cipher } };
}

/**
 * Runs a write in one transaction. With a key its result is written in the same transaction, and a repeat finds it.
 * @throws Replay if it was done before; HttpError 409 `idempotency_in_progress` while the first one runs; DomainError `invalid` for another body.
 */
export function writeOnce<T>(
  postgres: Pool,
  accountId: string,
  keyed: KeyedCall | undefined,
  room: AnswerRoom,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return inTransaction(postgres, accountId, async (tx) => {
    if (!keyed) return work(tx);
    if (!(await tryLockOperation(tx, accountId, allIdsOf(keyed)))) {
      throw stillRunning();
    }
    await replayIfDone(tx, accountId, keyed, room);
    const body = await work(tx);
    const kept = keyed.seal ? await sealAnswer(body, keyed.seal) : body;
    await insertOperation(tx, accountId, keyed.operationId, { ...keyed, body: kept }, room.mostBytes);
    return body;
  });
}

/** The code of a 409 for a retry whose first attempt is still running. The client retries and gets the result of that attempt. */
function stillRunning(): HttpError {
  const detail = 'The first call with this Idempotency-Key is still running. Repeat it to get its answer.';
  return new HttpError(409, detail, { 'Retry-After': '1' }, 'idempotency_in_progress');
}

/** Throws what {@link writeOnce} would, before anything is checked that may have changed since the first call. */
export async function replayIfDone(
  tx: Transaction,
  accountId: string,
  keyed: KeyedCall,
  room: AnswerRoom,
): Promise<void> {
  const done = await findResult(tx, accountId, allIdsOf(keyed), room);
  if (!done) return;
  if (done.requestHash === keyed.requestHash) {
    // A refusal tells no secret.
    if (!keyed.seal || done.status !== keyed.status) throw new Replay(done);
    throw new Replay({ ...done, body: await openAnswer(parseStoredJson(done.body?.text ?? 'null'), keyed.seal) });
  }
  throw invalid({ 'Idempotency-Key': ['Was used before with another body.'] });
}

/** Keeps a refusal of at most `maxBytes`, so that the same call is refused the same way for 24 hours. */
export async function keepRefusal(
  postgres: Pool,
  accountId: string,
  keyed: KeyedCall,
  { status, body }: Answer,
  maxBytes: number,
): Promise<void> {
  if (status >= 500 || NOT_KEPT.has(status)) return;
  if (Buffer.byteLength(stringifyExactJson(body)) > maxBytes) return;
  await inTransaction(postgres, accountId, (tx) =>
    insertRefusal(tx, accountId, allIdsOf(keyed), { requestHash: keyed.requestHash, status, body }),
  );
}

function allIdsOf({ operationId, formerIds }: OperationIds): [string, ...string[]] {
  return [operationId, ...formerIds];
}
