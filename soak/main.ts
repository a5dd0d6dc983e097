import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fillDisk } from './full-disk.ts';
import { goAway } from './outage/outage.ts';
import { soak } from './soak.ts';

const USAGE =
  'npm run soak -- --minutes N [--seed S] [--rate events/s] [--lives N] [--no-kills] | --full-disk | --outage SECONDS [--events N]';
const OPTIONS = {
  minutes: { type: 'string', default: '5' },
  seed: { type: 'string' },
  rate: { type: 'string', default: '200' },
  lives: { type: 'string', default: '6' },
  'no-kills': { type: 'boolean', default: false },
  'full-disk': { type: 'boolean', default: false },
  outage: { type: 'string' },
  events: { type: 'string', default: '1000000' },
} as const;

function refuse(why: string): never {
  console.error(`${why}\nusage: ${USAGE}`);
  process.exit(2);
}

/** What it found. */
function run(): Promise<string[]> {
  if (values['full-disk']) return fillDisk(say);
  if (values.outage !== undefined) return goAway({ seconds: outage, events }, say);
  return soak({ minutes, seed, eventsPerSecond, lives, kills: !values['no-kills'] }, say);
}

function readOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

// Ends with 1 where it found something.
const values = readOptions();
const [minutes, seed, eventsPerSecond, lives, outage, events] = [
  Number(values.minutes),
  Number(values.seed ?? randomInt(2 ** 32)),
  Number(values.rate),
  Number(values.lives),
  Number(values.outage ?? 600),
  Number(values.events),
];
if (![minutes, seed, eventsPerSecond, lives, outage, events].every((number) => number > 0)) {
  refuse('Numbers must be above 0.');
}
const begun = performance.now();
const say = (line: string) => console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${line}`);
say(`seed ${seed}`);
const found = await run();
for (const line of found) console.error(`\n${line}`);
say(found.length === 0 ? `nothing found (seed ${seed})` : `${found.length} found (seed ${seed})`);
process.exit(found.length === 0 ? 0 : 1);
