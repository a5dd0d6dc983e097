import { existsSync } from 'node:fs';
import { encryptionKeysFile } from '../local/encryption-keys.ts';
import { createSecretCipher, type EncryptionKey, type SecretCipher } from '../runtime/cipher.ts';
import { loadLauncherConfig, loadProcessConfig } from '../runtime/config.ts';

/** The keys that a command decrypts by: of the environment, else those of the local stack of DATA_DIR; none where it has none yet. */
export function loadCommandKeys(): readonly EncryptionKey[] {
  const given = loadProcessConfig().loadEncryptionKeys();
  const file = encryptionKeysFile(loadLauncherConfig().dataDir);
  if (given.length > 0 || !existsSync(file)) return given;
  return loadProcessConfig({ ENCRYPTION_KEYS_FILE: file }).loadEncryptionKeys();
}

/** A cipher under them. */
export function commandCipher(): SecretCipher {
  return createSecretCipher(loadCommandKeys);
}
