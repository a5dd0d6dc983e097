import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type RehearsalOptions, rehearse, SCENES, type Scene } from './rehearsal.ts';
import { isBroken, tableOf } from './verdict.ts';

const USAGE = `npm run rehearse -- [--only ${SCENES.join(',')}] [--release COMMIT] [--rate events/s] [--lives N] [--seed S]`;
const OPTIONS = {
  only: { type: 'string', default: SCENES.join(',') },
  release: { type: 'string' },
  rate: { type: 'string', default: '100' },
  lives: { type: 'string', default: '4' },
  seed: { type: 'string' },
} as const;

function refuse(why: string): never {
  console.error(`${why}\nusage: ${USAGE}`);
  process.exit(2);
}

function readOptions(): RehearsalOptions {
  try {
    const { only, release, rate, lives, seed = randomInt(2 ** 32) } = parseArgs({ options: OPTIONS }).values;
    const wanted = only.split(',');
    const unknown = wanted.filter((scene) => !(SCENES as readonly string[]).includes(scene));
    if (unknown.length > 0) throw new Error(`${unknown.join(', ')} can't be rehearsed.`);
    const numbers = { eventsPerSecond: Number(rate), lives: Number(lives), seed: Number(seed) };
    if (!Object.values(numbers).every((number) => number > 0)) throw new Error('Numbers must be above 0.');
    return { ...numbers, scenes: SCENES.filter((scene: Scene) => wanted.includes(scene)), commit: release };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

// Ends with 1 where a bound is broken or anything does not hold.
const options = readOptions();
const begun = performance.now();
const say = (line: string) => console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${line}`);
say(`seed ${options.seed}`);
const { findings, breaches } = await rehearse(options, say);
for (const line of breaches) console.error(`\n${line}`);
console.log(`\n${tableOf(findings).join('\n')}\n`);
const holds = breaches.length === 0 && !findings.some(isBroken);
say(holds ? 'everything held' : `not everything held (seed ${options.seed})`);
process.exit(holds ? 0 : 1);
