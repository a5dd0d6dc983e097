import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { fairTurns } from '../../runtime/fair-turns.ts';
import { watchShares } from '../../runtime/shares/watch-shares.ts';

const NEVER = new AbortController().signal;

afterEach(() => vi.useRealTimers());

test('metrics count who waits for a share, and the log names them', async () => {
  vi.useFakeTimers();
  const [registry, lines] = [new Registry(), [] as string[]];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const turns = fairTurns({ atOnce: 1, ofOne: 1, waitingOfOne: 2 });
  const watch = watchShares(registry, 'api', log, { connections: turns });
  let end = () => {};
  const works = [turns('acct_1', NEVER, () => new Promise<void>((resolve) => (end = resolve)))];
  for (const party of ['acct_1', 'acct_1', 'acct_2']) works.push(turns(party, NEVER, async () => {}));
  await expect(turns('acct_1', NEVER, async () => {})).rejects.toThrow('Too many calls');

  await vi.advanceTimersByTimeAsync(1_000);
  const metrics = await registry.metrics();
  expect(metrics).toContain('meterbook_share_held_back{process="api",share="connections",party="acct_1"} 3');
  expect(metrics).toContain('meterbook_share_held_back{process="api",share="connections",party="acct_2"} 1');
  expect(metrics).toContain('meterbook_share_full{process="api",share="connections",party="acct_1"} 1');
  expect(metrics).toContain('meterbook_share_waiting{process="api",share="connections"} 3');
  expect(metrics).toContain('meterbook_share_waiting_parties{process="api",share="connections"} 2');
  expect(metrics).toContain('meterbook_share_refused_total{process="api",share="connections"} 1');
  await vi.advanceTimersByTimeAsync(9_000);
  end();
  await Promise.all(works);
  await vi.advanceTimersByTimeAsync(20_000);
  await watch.stop();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      ...{ msg: 'parties at their share', share: 'connections', parties: { acct_1: 3, acct_2: 1 } },
      ...{ partiesHeldBack: 2, refused: 1 },
    }),
  ]);
  expect(await registry.metrics()).toContain('meterbook_share_refused_total{process="api",share="connections"} 1');
});

test('metrics name ten parties of a share at most, those held back with most, for a minute', async () => {
  vi.useFakeTimers();
  const registry = new Registry();
  const turns = fairTurns({ atOnce: 100, ofOne: 0, waitingOfOne: 0 });
  const watch = watchShares(registry, 'worker', pino({ enabled: false }), { activity_slots: turns });
  for (let party = 1; party <= 12; party++) {
    for (let work = 0; work < party; work++) await turns(`acct_${party}`, NEVER, async () => {}).catch(() => {});
  }
  await vi.advanceTimersByTimeAsync(1_000);
  const named = async () => (await registry.metrics()).match(/^meterbook_share_held_back.*$/gm) ?? [];
  const label = (party: number) =>
    `meterbook_share_held_back{process="worker",share="activity_slots",party="acct_${party}"}`;
  expect(await named()).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((party) => `${label(party)} ${party}`));
  await vi.advanceTimersByTimeAsync(61_000);
  expect(await named()).toEqual([]);
  await watch.stop();
});
