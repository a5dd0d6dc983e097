import type { ReadinessCheck } from '../runtime/http/service-endpoints.ts';
import type { KeyRing } from '../runtime/key-ring.ts';
import type { Log } from '../runtime/log.ts';
import type { UsagePublisher } from './usage-publisher.ts';

/**
 * What the edge needs to accept events: a stream whose real configuration keeps the promise of a 200, and the keys.
 * What the server does not tell about itself is said in the log, once, and held against nobody.
 */
export function ingestChecks(publisher: UsagePublisher, keys: Pick<KeyRing, 'loaded'>, log: Log): ReadinessCheck[] {
  let warned = false;
  const checkStream = async () => {
    const { problems, unverified } = await publisher.checkDurability();
    if (unverified.length > 0 && !warned) log.warn({ unverified }, 'durability cannot be verified');
    warned = unverified.length > 0;
    if (problems.length > 0) throw new Error(problems.join(' '));
  };
  const checkKeys = async () => {
    if (!keys.loaded()) throw new Error('The API keys have not been loaded yet.');
  };
  return [
    { name: 'usage stream', check: checkStream },
    { name: 'api keys', check: checkKeys },
  ];
}
