import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** A secret as a row keeps it: which key sealed it, and nonce, ciphertext and tag in one piece. */
export type SealedSecret = { keyId: string; sealed: Buffer };

/** A key of AES-256; `keyId` is stored beside what it seals, so that keys can be changed. */
export type EncryptionKey = { keyId: string; key: Buffer };

/** A sealed secret that cannot be opened: its key is gone, or it was changed or moved to another row. */
export class UnreadableSecret extends Error {}

/**
 * Encrypts secrets at rest. `row` names the row that the secret stands in, e.g. `webhook_endpoints/<account>/<id>`: it is
 * authenticated with it, so a secret copied into another row can't be opened there.
 */
export type SecretCipher = {
  /** The id of the newest key, which seals; null where none is configured. */
  readonly keyId: string | null;
  seal(secret: string, row: string): SealedSecret;
  /** @throws UnreadableSecret where the key is not configured any more, or the secret is not the one sealed for this row. */
  open(secret: SealedSecret, row: string): string;
  /**
   * A key of 32 bytes for `purpose` from each encryption key, the newest first: the same in every process and after every start.
   * They are looked for anew each time, so that all processes know a new key at once.
   */
  deriveKeys(purpose: string): Buffer[];
};

const ALGORITHM = 'aes-256-gcm';
/** GCM's own sizes: 96 random bits are safe for 2^32 secrets a key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * `loadKeys` gives the keys, the newest first: the first seals, any of them opens. It is asked again when a secret is met
 * that was sealed under a key not seen yet, so that keys can be rotated under a running process.
 */
export function createSecretCipher(loadKeys: () => readonly EncryptionKey[]): SecretCipher {
  let keys = loadKeys();

  function findKey(keyId: string): EncryptionKey | undefined {
    const known = keys.find((key) => key.keyId === keyId);
    if (known) return known;
    keys = loadKeys();
    return keys.find((key) => key.keyId === keyId);
  }

  return {
    deriveKeys(purpose) {
      keys = loadKeys();
      return keys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES)));
    },
    get keyId() {
      return keys[0]?.keyId ?? null;
    },
    seal(secret, row) {
      const newest = keys[0];
      if (!newest) throw new Error('ENCRYPTION_KEYS is not set: secrets cannot be stored.');
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, newest.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(row));
      const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return { keyId: newest.keyId, sealed };
    },
    open({ keyId, sealed }, row) {
      const known = findKey(keyId);
      if (!known) throw new UnreadableSecret(`ENCRYPTION_KEYS lacks the key ${keyId}, which ${row} is encrypted by.`);
      try {
        const nonce = sealed.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv(ALGORITHM, known.key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(row));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (error) {
        throw new UnreadableSecret(`${row} is not what was sealed there.`, { cause: error });
      }
    },
  };
}

/** A key's id, and its 32 bytes in base64 of either alphabet; anything else in there would be dropped without a word. */
const KEY_TEXT = /^([\w-]{1,64}):([\w+/-]{43}=?)$/;

/** `id:base64,...`, the newest first, as ENCRYPTION_KEYS holds them. Throws where one is not 32 bytes, or two have one id. */
export function encryptionKeysFromText(text: string): EncryptionKey[] {
  const keys = text.split(',').map((part) => {
    const [, keyId = '', encoded = ''] = KEY_TEXT.exec(part.trim()) ?? [];
    const key = Buffer.from(encoded, 'base64');
    if (key.length !== KEY_BYTES) throw new Error('must list keys as <id>:<32 bytes in base64>, the newest first');
    return { keyId, key };
  });
  if (new Set(keys.map(({ keyId }) => keyId)).size < keys.length)
    throw new Error('must list each key under an id of its own');
  return keys;
}

/** A new key in the form of {@link encryptionKeysFromText}. */
export function newEncryptionKeyText(): string {
  return `k${randomBytes(4).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}`;
}
