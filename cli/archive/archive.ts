import { parseArgs } from 'node:util';
import { systemClock } from '../../runtime/clock.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { BadUsage } from '../bad-usage.ts';
import { findDatabaseUrl } from '../stack-address.ts';
import { archiveRecords } from './archive-records.ts';

const HOUR_MS = 3_600_000;

/**
 * `npm run cli -- archive <folder> [--copy-every-hours 24] [--keep-days 7]`: keeps an archive of the records until it is told to stop
 * (SIGTERM, SIGINT). What it does it says on standard error.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'copy-every-hours': { type: 'string', default: '24' },
      'keep-days': { type: 'string', default: '7' },
    },
  });
  const [folder, ...rest] = positionals;
  if (!folder || rest.length > 0) throw new BadUsage('The folder of the archive is missing.');
  const baseEveryMs = aboveZero(values['copy-every-hours'], '--copy-every-hours') * HOUR_MS;
  const keepMs = aboveZero(values['keep-days'], '--keep-days') * 24 * HOUR_MS;
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const say = (line: string) => console.error(line);
  await archiveRecords(folder, { find, clock: systemClock, baseEveryMs, keepMs, say, signal: stopping.signal });
  return 0;
}

/** A running stack that is started again may be elsewhere. */
async function find() {
  const databaseUrl = await findDatabaseUrl();
  return { databaseUrl, replicationUrl: loadLauncherConfig().replicationUrl ?? databaseUrl };
}

/** Hours or days: a part of one will do. */
function aboveZero(text: string, name: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new BadUsage(`${name} is ${text}: it must be a number above 0.`);
  return value;
}
