import type { SecretCipher } from '../../runtime/cipher.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { listUnkeyedOperations, moveOperation } from '../../sql/postgres/secrets/unkeyed-operations.ts';
import { OPERATIONS } from '../routes.ts';
import { operationIds } from './operation-ids.ts';
import { sealAgain } from './sealed-answer.ts';

const AT_ONCE = 100;

/** How often it is done: while processes of the release before run, they keep more. */
export const KEY_FORMER_MS = 60_000;

const SECRET_FIELDS = new Set(OPERATIONS.flatMap(({ secret }) => secret ?? []));

/**
 * Puts what the release before kept for Idempotency-Keys under keyed ids, and its secrets under our key as well: as it left
 * them, whoever reads a row can try Idempotency-Keys out, and a right guess opens the secret.
 */
export async function keyFormerOperations(postgres: Pool, cipher: SecretCipher): Promise<'more' | undefined> {
  if (cipher.keyId === null) return undefined;
  const found = await listUnkeyedOperations(postgres, AT_ONCE);
  for (const kept of found) {
    const { accountId, operationId } = kept;
    const result = kept.result && { ...kept.result, body: sealed(kept.result.body, { accountId, cipher }) };
    await moveOperation(postgres, { ...kept, result }, operationIds(cipher, accountId, operationId).operationId);
  }
  return found.length === AT_ONCE ? 'more' : undefined;
}

function sealed(body: unknown, seal: { accountId: string; cipher: SecretCipher }): unknown {
  return [...SECRET_FIELDS].reduce((kept, field) => sealAgain(kept, { ...seal, field }), body);
}
