import { createCipheriv, createDecipheriv, getHashes, hash, randomBytes, scryptSync } from 'node:crypto';
import { beforeEach, expect, inject, test } from 'vitest';
import { keyFormerOperations } from '../../../api/idempotency/key-former-operations.ts';
import { encryptionKeysFile } from '../../../local/encryption-keys.ts';
import { createSecretCipher } from '../../../runtime/cipher.ts';
import { loadProcessConfig } from '../../../runtime/config.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';

/** Whoever reads the database, and guesses Idempotency-Keys: they may be order numbers, and some guard keys and webhook secrets. */

const GUESSES = ['order-16', 'order-17', 'order-18'];
const HEADERS = { 'Idempotency-Key': 'order-17' };
const CALLS: [string, object, string][] = [
  ['/api/api-keys', { name: 'guarded' }, 'key'],
  ['/api/webhooks', { webhook_url: 'http://127.0.0.1:9/' }, 'webhook_secret'],
];
const scopeOf = (path: string, key: string) => `["post","${path}",{},"${key}"]`;

type Row = { operation_id: string; result: string };

let account: TestAccount;
beforeEach(async () => {
  account = await newAccount();
});

const rows = () =>
  withPostgres(async (postgres) => {
    const sql = 'SELECT operation_id, result::text FROM operations WHERE account_id = $1';
    return (await postgres.query<Row>(sql, [account.accountId])).rows;
  });

/** Every fast hash of a guess that Node has, of the ways in which the call could have been written down. */
function hashesOf(path: string, guess: string): string[] {
  const texts = [
    scopeOf(path, guess),
    `${account.accountId} ${scopeOf(path, guess)}`,
    guess,
    `${account.accountId} ${guess}`,
  ];
  const fast = getHashes().filter((name) => !/^(RSA-)?(id-)?.*(shake|withRSA)/i.test(name));
  return texts.flatMap((text) =>
    fast.flatMap((name) => {
      const once = hash(name, text, 'hex');
      return [
        once,
        Buffer.from(once, 'hex').toString('base64url'),
        hash('sha256', `${account.accountId} ${once}`, 'base64url'),
      ];
    }),
  );
}

/** All pieces of a stored field that could be nonce, ciphertext and tag under a key made of a guess and a salt. */
function canOpen(field: Record<string, string>, guess: string, salt: string): boolean {
  const key = scryptSync(guess, salt, 32);
  const whole = Buffer.from(field.sealed ?? '', 'base64');
  const [iv, text, tag] =
    field.iv === undefined
      ? [whole.subarray(0, 12), whole.subarray(12, -16), whole.subarray(-16)]
      : [field.iv, field.text ?? '', field.tag ?? ''].map((part) => Buffer.from(part, 'base64'));
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv as Buffer).setAuthTag(tag as Buffer);
    decipher.update(text as Buffer);
    decipher.final();
    return true;
  } catch {
    return false;
  }
}

test.each(CALLS)(
  'POST %s: no guess is confirmed by what is stored, and the right one opens nothing',
  async (path, body, secret) => {
    const first = await account.api.post(path, body, HEADERS);
    expect(first.status, first.text).toBe(201);
    const stored = await rows();
    expect(stored.length).toBe(1);
    for (const { operation_id, result } of stored) {
      expect(result).not.toContain(String(first.body[secret]));
      const field = (JSON.parse(result) as { body: Record<string, Record<string, string>> }).body[secret] ?? {};
      for (const guess of GUESSES) {
        const hashes = hashesOf(path, guess);
        expect(hashes.filter((one) => one === operation_id || result.includes(one))).toEqual([]);
        for (const salt of [operation_id, hash('sha256', scopeOf(path, guess), 'hex')]) {
          expect(canOpen(field, guess, salt)).toBe(false);
        }
      }
    }
    const again = await account.api.post(path, body, HEADERS);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  },
);

/** A row as the release before left it: a plain hash for an id, a secret that the Idempotency-Key alone opens. */
async function asReleaseBefore(path: string, secret: string, value: string): Promise<void> {
  const [kept] = await rows();
  const operationId = hash('sha256', scopeOf(path, HEADERS['Idempotency-Key']), 'hex');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', scryptSync(HEADERS['Idempotency-Key'], operationId, 32), iv);
  const text = Buffer.concat([cipher.update(value), cipher.final()]);
  const result = JSON.parse(kept?.result ?? '') as { body: Record<string, unknown> };
  const parts = { iv, text, tag: cipher.getAuthTag() };
  result.body[secret] = Object.fromEntries(
    Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64')]),
  );
  await withPostgres((postgres) =>
    postgres.query(
      `UPDATE operations SET operation_id = $2, result = $3, created_at = now() - interval '2 minutes' WHERE account_id = $1`,
      [account.accountId, operationId, JSON.stringify(result)],
    ),
  );
}

test.each(CALLS)(
  'POST %s: what the release before kept is found, and stands under our keys from then on',
  async (path, body, secret) => {
    const first = await account.api.post(path, body, HEADERS);
    await asReleaseBefore(path, secret, String(first.body[secret]));
    const again = async () => (await account.api.post(path, body, HEADERS)).text;
    expect(await again()).toBe(first.text);
    const other = await account.api.post(path, { ...body, name: 'other' }, HEADERS);
    expect([other.status, Object.keys(other.body)]).toEqual([422, ['Idempotency-Key']]);

    const { loadEncryptionKeys } = loadProcessConfig({ ENCRYPTION_KEYS_FILE: encryptionKeysFile(inject('dataDir')) });
    await withPostgres((postgres) => keyFormerOperations(postgres, createSecretCipher(loadEncryptionKeys)));
    const [kept, ...others] = await rows();
    expect([others, kept?.operation_id.length]).toEqual([[], 43]);
    const field =
      (JSON.parse(kept?.result ?? '') as { body: Record<string, Record<string, string>> }).body[secret] ?? {};
    expect(Object.keys(field)).toEqual(['key_id', 'sealed']);
    expect(
      canOpen(field, HEADERS['Idempotency-Key'], hash('sha256', scopeOf(path, HEADERS['Idempotency-Key']), 'hex')),
    ).toBe(false);
    expect(await again()).toBe(first.text);
  },
);
