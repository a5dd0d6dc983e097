import { Gauge, type Registry } from '@prometheus-io/client';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { SecretsCheck } from '../sql/postgres/secrets/sealed-secrets.ts';

/** What is named in the log at once: enough to see whether one row is damaged or a key is missing. */
const NAMED = 20;

/**
 * Watches whether the stored secrets can be decrypted. `check` tries them all and sets the gauge; `assertKeys` throws while the keys
 * are wrong: when the process started, most secrets could not be opened, and none has shown since that this has been mended. A
 * few damaged rows are no reason to keep everybody out.
 */
export function watchSecrets(
  registry: Registry,
  log: Log,
  clock: Clock,
  load: (now: number) => Promise<SecretsCheck>,
): { check(): Promise<void>; assertKeys(): void } {
  const gauge = new Gauge({
    name: 'meterbook_unreadable_secrets',
    help: 'Rows with a secret that cannot be decrypted, of all that are stored; anything but 0 is for the operator.',
    aggregator: 'max',
    registers: [registry],
  });
  gauge.remove();
  let wrongKeys: boolean | undefined;
  let said = 0;
  return {
    async check() {
      const { rows, unreadable } = await load(clock.now());
      gauge.set(unreadable.length);
      const isMost = unreadable.length * 2 > rows;
      wrongKeys = isMost && (wrongKeys ?? true);
      if (unreadable.length > 0 && unreadable.length !== said) {
        const names = unreadable.slice(0, NAMED).map(({ name }) => name);
        log.error({ unreadable: unreadable.length, of: rows, names }, 'stored secrets cannot be decrypted');
      }
      said = unreadable.length;
    },
    assertKeys() {
      if (wrongKeys !== false)
        throw new Error('Most stored secrets cannot be decrypted: ENCRYPTION_KEYS lacks their key.');
    },
  };
}
