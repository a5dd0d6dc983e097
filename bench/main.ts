import { parseArgs } from 'node:util';
import { stopOwnStacks } from '../test/stack/own-stack.ts';
import { stopUsageEngines } from '../test/stack/usage-engines.ts';
import { benchAccess } from './access.ts';
import { benchAsleep } from './asleep.ts';
import { benchAttacks } from './attacks/attacks.ts';
import { benchAudit } from './audit.ts';
import { benchBatch } from './batch/batch.ts';
import { benchClock } from './clock.ts';
import { benchConsole } from './console/console.ts';
import { benchDraft } from './draft.ts';
import { benchEdge } from './edge.ts';
import { benchFirstOfMonth } from './first-of-month/first-of-month.ts';
import { benchFreshness } from './freshness.ts';
import { benchGroups } from './groups.ts';
import { benchDrain } from './landing/drain.ts';
import { benchLandingParts } from './landing/parts.ts';
import { benchRepeats } from './landing/repeats.ts';
import { benchLists } from './lists.ts';
import { benchMeter } from './meter/meter.ts';
import { benchPath } from './path.ts';
import { benchDetection } from './pricing/detection.ts';
import { benchHeld } from './pricing/held.ts';
import { benchPricing } from './pricing/pricing.ts';
import { benchRenewals } from './renewals.ts';
import { benchSpread } from './spread.ts';
import { benchGrownStore } from './store/grown-store.ts';
import { benchIds } from './store/ids.ts';
import { benchQuery } from './store/query.ts';
import { benchSize } from './store/size.ts';

type Bench = { run(size: number): Promise<void>; size: number };

/** Each with the size that the figures of docs/benchmarks.md are of; `--events` makes a small try of it. */
const BENCHES: Record<string, Bench> = {
  access: { run: benchAccess, size: 20_000 },
  asleep: { run: benchAsleep, size: 5_000 },
  attacks: { run: (seconds) => benchAttacks(seconds, values), size: 30 },
  audit: { run: benchAudit, size: 1_000 },
  batch: { run: benchBatch, size: 200_000 },
  clock: { run: (count) => benchClock(count, values.beside), size: 300 },
  console: { run: benchConsole, size: 1_000_000 },
  detection: { run: benchDetection, size: 100_000 },
  draft: { run: (most) => benchDraft(most, values.beside), size: 1_000 },
  edge: { run: (requests) => benchEdge(requests, values.beside), size: 60_000 },
  drain: { run: benchDrain, size: 1_000_000 },
  parts: { run: benchLandingParts, size: 500_000 },
  meter: { run: benchMeter, size: 1_000_000 },
  path: { run: benchPath, size: 200_000 },
  'first-of-month': { run: (due) => benchFirstOfMonth(due, values), size: 20_000 },
  freshness: { run: benchFreshness, size: 100_000 },
  held: { run: (holders) => benchHeld(holders, values.beside), size: 10_000 },
  pricing: { run: benchPricing, size: 4_000_000 },
  query: { run: benchQuery, size: 20_000_000 },
  groups: { run: benchGroups, size: 1_500_000 },
  ids: { run: benchIds, size: 20_000_000 },
  lists: { run: benchLists, size: 1_000_000 },
  repeats: { run: benchRepeats, size: 200_000 },
  renewals: { run: (due) => benchRenewals({ due, asleep: Number(values.asleep ?? 1_000) }), size: 300 },
  size: { run: (events) => (values.store ? benchGrownStore(Number(values.store)) : benchSize(events)), size: 200_000 },
  spread: { run: (events) => benchSpread(events, values.beside), size: 20_000 },
};

/**
 * `npm run bench -- <name> [--events=N]`, of renewals `[--due=N] [--asleep=N]`, of clock, draft and held `--events` are subscriptions, of
 * lists `[--rows=N]`, of attacks `--events` are seconds and `[--only=ATTACK]`, of size `[--store=N]`, of clock, draft, edge, held and spread `[--beside=FOLDER]`, of first-of-month `[--alone] [--apart]`: one table and one JSON line; ends with 1 where a
 * run lost or made up an event.
 */
const sizes = {
  events: { type: 'string' },
  due: { type: 'string' },
  asleep: { type: 'string' },
  rows: { type: 'string' },
  store: { type: 'string' },
  beside: { type: 'string' },
  only: { type: 'string' },
  alone: { type: 'boolean' },
  apart: { type: 'boolean' },
} as const;
const { values, positionals } = parseArgs({ options: sizes, allowPositionals: true });
const name = positionals[0] ?? '';
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
const size = Number(values.events ?? values.due ?? values.rows ?? bench?.size);
if (!bench || !Number.isInteger(size) || size < 1) {
  console.error(
    `usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--events=N | --due=N --asleep=N | --rows=N | --store=N]`,
  );
  process.exit(2);
}
// Engines are in sessions of their own: Ctrl-C would leave them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await Promise.all([stopOwnStacks(), stopUsageEngines()]);
    process.exit(1);
  });
}
await bench.run(size);
