import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { SecretCipher } from '../../runtime/cipher.ts';

/**
 * What opens a sealed answer, both of it: the Idempotency-Key, which is not stored, and our own cipher, without which a guessed
 * Idempotency-Key opens nothing. `salt` is of the call, no secret.
 */
export type Seal = { field: string; idempotencyKey: string; salt: string; accountId: string; cipher: SecretCipher };

const CIPHER = 'aes-256-gcm';
const byCaller = z.object({ iv: z.string(), text: z.string(), tag: z.string() });
const byUs = z.object({ key_id: z.string(), sealed: z.string() });

const deriveKey = promisify<string, string, number, Buffer>(scrypt);

/**
 * The answer without its secret in the clear: a key or a webhook secret is told once, yet a repeat of the call gives the
 * first answer again. Only whoever repeats the call has what it is encrypted by, and only we can use it.
 */
export async function sealAnswer(body: unknown, seal: Seal): Promise<unknown> {
  const { field, idempotencyKey, salt } = seal;
  const record = z.record(z.string(), z.unknown()).parse(body);
  const iv = randomBytes(12);
  const cipher = createCipheriv(CIPHER, await deriveKey(idempotencyKey, salt, 32), iv);
  const text = Buffer.concat([cipher.update(z.string().parse(record[field])), cipher.final()]);
  const inText = { iv, text, tag: cipher.getAuthTag() };
  const sealed = Object.fromEntries(Object.entries(inText).map(([name, bytes]) => [name, bytes.toString('base64')]));
  return sealAgain({ ...record, [field]: sealed }, seal);
}

/** The answer that {@link sealAnswer} sealed, as it was first given. @throws UnreadableSecret where our key has been taken away. */
export async function openAnswer(body: unknown, seal: Seal): Promise<unknown> {
  const { field, idempotencyKey, salt, accountId, cipher } = seal;
  const record = z.record(z.string(), z.unknown()).parse(body);
  const outer = byUs.safeParse(record[field]);
  const inner = outer.success
    ? JSON.parse(
        cipher.open({ keyId: outer.data.key_id, sealed: Buffer.from(outer.data.sealed, 'base64') }, rowOf(accountId)),
      )
    : record[field];
  const { iv, text, tag } = byCaller.parse(inner);
  const bytesOf = (part: string) => Buffer.from(part, 'base64');
  const decipher = createDecipheriv(CIPHER, await deriveKey(idempotencyKey, salt, 32), bytesOf(iv));
  decipher.setAuthTag(bytesOf(tag));
  return { ...record, [field]: Buffer.concat([decipher.update(bytesOf(text)), decipher.final()]).toString() };
}

/** An answer whose field only its Idempotency-Key encrypts, as the release before left it, encrypted by our own key as well. */
export function sealAgain(
  body: unknown,
  { field, accountId, cipher }: Pick<Seal, 'field' | 'accountId' | 'cipher'>,
): unknown {
  const record = z.record(z.string(), z.unknown()).parse(body);
  const inner = byCaller.safeParse(record[field]);
  if (!inner.success) return body;
  const { keyId, sealed } = cipher.seal(JSON.stringify(inner.data), rowOf(accountId));
  return { ...record, [field]: { key_id: keyId, sealed: sealed.toString('base64') } };
}

function rowOf(accountId: string): string {
  return `operations/${accountId}`;
}
