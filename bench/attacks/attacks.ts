import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { report, rounded } from '../figures.ts';
import { clientOf, type MeasuredStack, makeOtherKey, withStacks } from '../measured-stacks.ts';
import { ATTACKS } from './table.ts';
import { type Measured, measureVictim, prepareVictim } from './victim.ts';

/** The goals: no call fails, and the p99 is at most ten times that in peace, or 250 ms, and never above a second. */
const [RATIO, ALWAYS_FINE_MS, MOST_MS] = [10, 250, 1_000];
/** Until an attack is in full swing. */
const SWING_MS = 2_000;

type Options = { beside?: string | undefined; only?: string | undefined };

/**
 * One account attacks, and another one makes its usual calls: in peace, and under each attack, in one run. `only`: the one attack
 * of that name. `beside`: measures the stack of another checkout after this one's.
 */
export async function benchAttacks(seconds: number, { beside, only }: Options = {}): Promise<void> {
  const names = Object.keys(ATTACKS).filter((name) => only === undefined || name === only);
  if (names.length === 0) throw new Error(`There is no attack ${only}; there are ${Object.keys(ATTACKS).join(', ')}.`);
  const rows: Record<string, unknown>[] = [];
  const details: Record<string, unknown>[] = [];
  for (const name of names) {
    // Stacks of its own: an attack may leave one that answers nobody for minutes.
    await withStacks(beside, async (stacks) => {
      for (const stack of stacks) {
        const { answers, calls } = await measureAttack(stack, name, seconds * 1_000);
        const measured = calls.map((call) => ({ release: stack.release, attack: name, ...call }));
        const shown = measured.map(({ failures, ...row }) => row);
        rows.push(...shown);
        const failures = Object.fromEntries(
          calls.map(({ call, failures }) => [call, [...new Set(failures)].slice(0, 3)]),
        );
        details.push({ release: stack.release, attack: name, answers, failures });
        console.table(shown);
        console.log(JSON.stringify(details.at(-1)));
      }
    });
  }
  report('attacks', rows, { seconds, attacks: details, load: loadavg().map(rounded) });
}

async function measureAttack(stack: MeasuredStack, name: string, ms: number) {
  const victim = await prepareVictim(clientOf(stack, await makeOtherKey(stack, 'live')));
  const key = await makeOtherKey(stack, 'test');
  const begin = await ATTACKS[name]?.({ base: stack.file.base_url, key, api: clientOf(stack, key) });
  if (!begin) throw new Error(`There is no attack ${name}.`);
  await measureVictim(victim, SWING_MS);
  const peace = await measureVictim(victim, ms);
  const attack = await begin();
  await sleep(SWING_MS);
  const attacked = await measureVictim(victim, ms);
  const answers = await attack.stop();
  const calls = Object.entries(peace).map(([call, calm]) => compared(call, calm, attacked[call]));
  return { answers, calls };
}

function compared(call: string, peace: Measured, attacked: Measured | undefined) {
  const { calls, failed, p50, p99, worst, failures } = attacked ?? { ...peace, calls: 0 };
  const most = Math.min(MOST_MS, Math.max(ALWAYS_FINE_MS, RATIO * peace.p99));
  return {
    ...{ call, 'peace p50': peace.p50, 'peace p99': peace.p99, p50, p99, worst },
    ...{ ratio: rounded(p99 / peace.p99), calls, failed, met: failed === 0 && p99 <= most },
    failures: [...peace.failures, ...failures],
  };
}
