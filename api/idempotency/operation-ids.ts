import { createHash, createHmac } from 'node:crypto';
import type { SecretCipher } from '../../runtime/cipher.ts';

/** What a call is told from any other by; `formerIds` are ids under which it may have been kept before, none of them new. */
export type OperationIds = { operationId: string; formerIds: string[] };

const PURPOSE = 'operation ids';

/** The id that the release before gave to a call's scope: anybody who reads it can try Idempotency-Keys out against it. */
export function unkeyedId(scope: string): string {
  return createHash('sha256').update(scope).digest('hex');
}

/**
 * The ids of a call, by the id that it would have had before ids were keyed: HMACs under keys that only our processes have, since
 * Idempotency-Keys are often guessable, and an id must not say which guess is right. The newest encryption key makes the id;
 * the others find what was kept before a new one was made. Without any there is nothing secret to guard.
 */
export function operationIds(cipher: SecretCipher, accountId: string, unkeyed: string): OperationIds {
  const keys = cipher.deriveKeys(PURPOSE);
  const [operationId = '', ...older] = (keys.length > 0 ? keys : ['']).map((key) =>
    createHmac('sha256', key).update(`${accountId} ${unkeyed}`).digest('base64url'),
  );
  return { operationId, formerIds: [...older, unkeyed] };
}
