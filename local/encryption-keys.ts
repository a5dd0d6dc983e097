import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newEncryptionKeyText } from '../runtime/cipher.ts';

/** Where a local stack keeps ENCRYPTION_KEYS between starts: what is stored under them can't be read without. */
export function encryptionKeysFile(dataDir: string): string {
  return join(dataDir, 'encryption-keys');
}

/** Sees to it that a local stack has a key for secrets at rest; it is made at the first start. Returns its file. */
export function ensureEncryptionKeys(dataDir: string): string {
  const file = encryptionKeysFile(dataDir);
  // `wx`: never over keys that something was stored under.
  if (!existsSync(file)) writeFileSync(file, `${newEncryptionKeyText()}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}
