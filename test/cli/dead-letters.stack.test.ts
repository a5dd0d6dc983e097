import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../runtime/log.ts';
import { countDeadLetters, publishDeadLetter } from '../../stream/dead-letters.ts';
import { encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { eventOf, exactly, startUsageFixture, type UsageFixture } from '../aggregator/usage-fixture.ts';

let fixture: UsageFixture;
/** It waits for a stream that is away for as long as the other tests take. */
let away: ReturnType<typeof listFromNowhere>;

beforeAll(async () => {
  away = listFromNowhere();
  fixture = await startUsageFixture();
});
afterEach(() => fixture.endLanding());
afterAll(() => fixture.stop());

const MAIN = join(import.meta.dirname, '../../cli/main.ts');

type Letter = { sequence: number; usage_sequence: number; reason: string; detail: string; data: string };
type Printed = { count: number; dead_letters: Letter[]; replayed?: number; returned?: number };

function deadLetters(...args: string[]) {
  const env = { ...process.env, NATS_URL: fixture.engines.natsUrl };
  return spawnSync(process.execPath, [MAIN, 'dead-letters', ...args], { encoding: 'utf8', env });
}

async function listFromNowhere() {
  const env = { ...process.env, NATS_URL: 'nats://127.0.0.1:1' };
  const child = spawn(process.execPath, [MAIN, 'dead-letters', 'list'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

function printed(...args: string[]): Printed {
  const run = deadLetters(...args);
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
  return JSON.parse(run.stdout) as Printed;
}

test('none', () => {
  expect(printed('list')).toEqual({ count: 0, dead_letters: [] });
  expect(printed('replay')).toEqual({ replayed: 0, returned: 0, count: 0, dead_letters: [] });
});

test('what the aggregator cannot decode is listed with its reason; a replay gives back what can be decoded now', async () => {
  fixture.startLanding();
  await fixture.connection.js.publish('usage.0', 'nonsense');
  await fixture.connection.js.publish('usage.0', '{"v":99,"events":[]}');
  await fixture.publish(['a', 'b', 'c']);
  await fixture.waitUntilAllLanded();
  const before = printed('list');
  expect(before.count).toBe(2);
  expect(before.dead_letters).toMatchObject([
    { sequence: 1, partition: 0, epoch: 1, usage_sequence: 1, reason: 'not_json', bytes: 8, data: 'nonsense' },
    { sequence: 2, usage_sequence: 2, reason: 'unknown_version', detail: 'v is 99.' },
  ]);
  expect(printed('list', '--limit', '1')).toEqual({ count: 2, dead_letters: before.dead_letters.slice(0, 1) });

  // As if the release that wrote this letter could not read what is a good message of this one.
  const data = encodeUsageMessage(['a', 'b', 'd'].map((id) => encodeUsageEvent(eventOf(id))));
  const letter = {
    partition: 0,
    epoch: 1,
    sequence: 9,
    reason: 'unknown_version',
    detail: 'The first byte is 2.',
    data,
  } as const;
  await publishDeadLetter(fixture.connection, letter, createLog('test', 'silent'));
  const replayed = printed('replay');
  expect(replayed).toMatchObject({ replayed: 1, returned: 2, count: 2 });
  expect(replayed.dead_letters.map(({ usage_sequence, reason }) => [usage_sequence, reason])).toEqual([
    [1, 'not_json'],
    [2, 'unknown_version'],
  ]);
  await fixture.waitUntilAllLanded();
  expect(await fixture.totals()).toEqual({ ...exactly(4), expected: 3 });

  expect(printed('replay')).toMatchObject({ replayed: 0, returned: 2, count: 2 });
  expect(await fixture.totals()).toMatchObject({ events: 4 });
});

test('the largest message that the stream takes fits into a dead letter, and one that did not would be refused', async () => {
  const { js, jsm } = fixture.connection;
  const before = await countDeadLetters(fixture.connection);
  const largest = Buffer.alloc((await jsm.streams.info('USAGE')).config.max_msg_size);
  await js.publish('usage.0', largest);
  // Its reason quotes it.
  await js.publish('usage.0', `{"v":"${'é'.repeat(400_000)}"}`);
  await expect(js.publish('usage.0', Buffer.alloc(largest.length + 1))).rejects.toThrow('message size exceeds');
  fixture.startLanding();
  await fixture.waitUntilAllLanded();
  expect(await countDeadLetters(fixture.connection)).toBe(before + 2);
});

test('a stream that is away is said on standard error', async () => {
  const { code, stdout, stderr } = await away;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('does not answer');
});
