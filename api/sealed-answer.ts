import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

/** What opens a sealed answer: the Idempotency-Key, which is not stored; `salt` is of the call, no secret. */
export type Seal = { field: string; idempotencyKey: string; salt: string };

const CIPHER = 'aes-256-gcm';
const sealed = z.object({ iv: z.string(), text: z.string(), tag: z.string() });

const deriveKey = promisify<string, string, number, Buffer>(scrypt);

/**
 * The answer without its secret in the clear: a key or a webhook secret is told once, yet a repeat of the call gives the
 * first answer again (contract 1 and 2). Only whoever repeats the call has what it is encrypted by.
 */
export async function sealAnswer(body: unknown, { field, idempotencyKey, salt }: Seal): Promise<unknown> {
  const record = z.record(z.string(), z.unknown()).parse(body);
  const iv = randomBytes(12);
  const cipher = createCipheriv(CIPHER, await deriveKey(idempotencyKey, salt, 32), iv);
  const text = Buffer.concat([cipher.update(z.string().parse(record[field])), cipher.final()]);
  const inText = { iv, text, tag: cipher.getAuthTag() };
  return { ...record, [field]: Object.fromEntries(Object.entries(inText).map(([k, v]) => [k, v.toString('base64')])) };
}

/** The answer that {@link sealAnswer} sealed, as it was first given; one that tells no secret (a refusal) as it is. */
export async function openAnswer(body: unknown, { field, idempotencyKey, salt }: Seal): Promise<unknown> {
  const record = z.record(z.string(), z.unknown()).parse(body);
  const found = sealed.safeParse(record[field]);
  if (!found.success) return body;
  const [iv, text, tag] = [found.data.iv, found.data.text, found.data.tag].map((part) => Buffer.from(part, 'base64'));
  if (!iv || !text || !tag) return body;
  const decipher = createDecipheriv(CIPHER, await deriveKey(idempotencyKey, salt, 32), iv).setAuthTag(tag);
  return { ...record, [field]: Buffer.concat([decipher.update(text), decipher.final()]).toString() };
}
