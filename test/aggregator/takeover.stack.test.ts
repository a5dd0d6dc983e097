import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { loadPartitionState } from '../../stream/landings.ts';
import { howMany } from '../how-many.ts';
import { exactly, FENCE_LOST, startUsageFixture, type UsageFixture, untilStopped } from './usage-fixture.ts';

let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture(2);
});
afterEach(() => fixture.endLanding());
afterAll(() => fixture.stop());

const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

/** A launcher's way: whoever ends is started again, until the work is done. */
async function keepLanding(until: Promise<void>, ends: (number | NodeJS.Signals)[]) {
  let working = true;
  void until.then(() => {
    working = false;
  });
  while (working) {
    const landing = fixture.startLanding();
    const code = await Promise.race([landing.ended, until.then(() => 0)]);
    if (working) ends.push(code);
    landing.kill();
    await landing.ended;
  }
}

test('two aggregators by mistake: each event lands once, and nothing stands still', async () => {
  const ends: (number | NodeJS.Signals)[] = [];
  const landed = (async () => {
    // Until both have been at work, which takes as long as they take to start.
    for (let i = 0; i < howMany(10, 40) || ends.length === 0; i++) {
      await fixture.publish(ids('two', 200 + (i % 60) * 20));
      await sleep(50);
    }
    await fixture.waitUntilAllLanded();
  })();
  await Promise.all([keepLanding(landed, ends), keepLanding(landed, ends)]);
  await landed;
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
  expect(new Set(ends)).toEqual(new Set([FENCE_LOST]));
});

test.each(['claimed', 'inserted'])(
  'one that was stopped once a batch was %s, and woken after another took over',
  async (at) => {
    await fixture.publish(ids(`${at}-early`, 300));
    const stopped = fixture.startLanding({ at, signal: 'SIGSTOP' });
    await untilStopped(stopped.child.pid);
    await fixture.publish(ids(`${at}-late`, 300));
    fixture.startLanding();
    await fixture.waitUntilAllLanded();
    stopped.kill('SIGCONT');
    expect(await stopped.ended).toBe(FENCE_LOST);
    await fixture.publish([...ids(`${at}-late`, 400), ...ids(`${at}-early`, 400)]);
    await fixture.waitUntilAllLanded();
    const totals = await fixture.totals();
    expect(totals).toEqual(exactly(totals.expected));
  },
);

test('claims count what was accepted and repeated', async () => {
  const { claim } = await loadPartitionState(fixture.connection, 0);
  const accepted = claim?.counts.reduce((sum, count) => sum + count.accepted, 0);
  expect(accepted).toBe(claim?.events);
});
