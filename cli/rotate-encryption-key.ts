import { readFile, rename, writeFile } from 'node:fs/promises';
import { encryptionKeysFile } from '../local/encryption-keys.ts';
import { createSecretCipher, newEncryptionKeyText } from '../runtime/cipher.ts';
import { loadLauncherConfig, loadProcessConfig } from '../runtime/config.ts';
import { rotateConnectionKeys } from '../sql/postgres/payments/processor-connections.ts';
import { createPool } from '../sql/postgres/postgres.ts';
import { rotateWebhookKeys } from '../sql/postgres/secrets/rotate-webhook-keys.ts';
import { findDatabaseUrl } from './stack-address.ts';

/**
 * Encrypts every secret in the records under the newest key. With ENCRYPTION_KEYS or ENCRYPTION_KEYS_FILE that is the first of
 * them: put a new one in front, restart the processes, run this, then take the old one away. Without, it is a key made now
 * for the local stack of DATA_DIR, whose processes find it by themselves. What can't be opened is named and left; it then answers 1.
 */
export async function run(): Promise<number> {
  const given = loadProcessConfig().loadEncryptionKeys();
  const file = encryptionKeysFile(loadLauncherConfig().dataDir);
  if (given.length === 0) await putNewKeyFirst(file);
  const loadEncryptionKeys =
    given.length > 0 ? () => given : loadProcessConfig({ ENCRYPTION_KEYS_FILE: file }).loadEncryptionKeys;
  const cipher = createSecretCipher(loadEncryptionKeys);
  const postgres = createPool(await findDatabaseUrl());
  try {
    const connections = await rotateConnectionKeys(postgres, cipher);
    const webhookEndpoints = await rotateWebhookKeys(postgres, cipher);
    const unreadable = [...connections.unreadable, ...webhookEndpoints.unreadable];
    const rotated = { connections: connections.rotated, webhook_endpoints: webhookEndpoints.rotated };
    console.log(JSON.stringify({ key_id: cipher.keyId, ...rotated, unreadable }));
    if (unreadable.length === 0) return 0;
    console.error(
      `${unreadable.length} rows could not be decrypted and stay under their old keys: ${unreadable.join(', ')}. ` +
        'Put the missing keys behind the newest in ENCRYPTION_KEYS and run this again, or have their owners roll the secret of ' +
        'the endpoint or connect the processor again. Until then, no old key may be taken away.',
    );
    return 1;
  } finally {
    await postgres.end();
  }
}

/** By rename: a process that reads the file meanwhile sees the old keys or the new ones. Earlier keys stay, to open by. */
async function putNewKeyFirst(file: string): Promise<void> {
  const known = (await readFile(file, 'utf8')).trim();
  await writeFile(`${file}.new`, `${newEncryptionKeyText()},${known}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
