import { join } from 'node:path';
import type { OurName } from '../../local/our-processes.ts';
import { type StackOptions, startStack } from '../../local/start-stack.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';

const standIn = join(import.meta.dirname, 'stand-in.ts');
const NAMES: OurName[] = ['ingest', 'aggregator', 'worker', 'api'];

/** A stack of real engines with stand-ins for our processes, on free ports. `behaviours` by name, as in `stand-in.ts`. */
export function startStandInStack(
  dataDir: string,
  options: Partial<StackOptions> & { behaviours?: Partial<Record<OurName, string>>; diary?: string } = {},
) {
  const { behaviours = {}, diary = '', ...rest } = options;
  const overrides = Object.fromEntries(
    NAMES.map((name) => [name, { STAND_IN: behaviours[name] ?? '', STAND_IN_NAME: name, STAND_IN_DIARY: diary }]),
  );
  return startStack({
    dataDir,
    port: 0,
    cacheDir: loadLauncherConfig().cacheDir,
    environment: process.env,
    log: () => undefined,
    prepare: async () => ({ api_key: 'a-key', account_id: 'an-account' }),
    programs: { ingest: standIn, aggregator: standIn, worker: standIn, api: standIn },
    overrides,
    ...rest,
  });
}
