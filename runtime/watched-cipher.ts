import { Counter, type Registry } from '@prometheus-io/client';
import { type SecretCipher, UnreadableSecret } from './cipher.ts';
import type { Log } from './log.ts';

/**
 * A cipher that tells the operator of each secret that it cannot open, in the log and in `/metrics`: mostly ENCRYPTION_KEYS
 * lacks a key, and nobody but the operator can mend that.
 */
export function watchCipher(cipher: SecretCipher, registry: Registry, log: Log): SecretCipher {
  const unreadable = new Counter({
    name: 'meterbook_unreadable_secrets_total',
    help: 'How often this process needed a secret of the records that it cannot decrypt; anything but 0 is for the operator.',
    registers: [registry],
  });
  return {
    get keyId() {
      return cipher.keyId;
    },
    seal: (secret, row) => cipher.seal(secret, row),
    deriveKeys: (purpose) => cipher.deriveKeys(purpose),
    open(secret, row) {
      try {
        return cipher.open(secret, row);
      } catch (error) {
        if (error instanceof UnreadableSecret) {
          unreadable.inc();
          log.error({ err: error, row }, 'a secret cannot be decrypted: what needs it waits');
        }
        throw error;
      }
    },
  };
}
