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

  const metrics = await registry.metrics();
  expect(metrics).toContain('meterbook_share_waiting{process="api",share="connections"} 3');
  expect(metrics).toContain('meterbook_share_waiting_parties{process="api",share="connections"} 2');
  expect(metrics).toContain('meterbook_share_refused_total{process="api",share="connections"} 1');
  await vi.advanceTimersByTimeAsync(10_000);
  end();
  await Promise.all(works);
  await vi.advanceTimersByTimeAsync(20_000);
  await watch.stop();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      ...{ msg: 'parties at their share', share: 'connections', parties: { acct_1: 2, acct_2: 1 } },
      ...{ partiesWaiting: 2, refused: 1 },
    }),
  ]);
  expect(await registry.metrics()).toContain('meterbook_share_refused_total{process="api",share="connections"} 1');
});
