import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { howMany } from '../how-many.ts';
import { exactly, startUsageFixture, type UsageFixture } from './usage-fixture.ts';

let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture();
});
afterEach(() => fixture.endLanding());
afterAll(() => fixture.stop());

/** Ids of which every tenth is a repeat of an older one. */
const ids = (tag: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `${tag}-${i % 10 === 9 ? Math.floor((from + i) / 2) : from + i}`);

test.each(['pulled', 'decided', 'claimed', 'inserted', 'landed'])('kill -9 once a batch was %s', async (at) => {
  await fixture.publish(ids(at, 0, 400));
  const broken = fixture.startLanding({ at, nth: '2' });
  // A machine that is busy may have made two batches of these already.
  await Promise.race([fixture.waitUntilAllLanded(), broken.ended]);
  await fixture.publish(ids(at, 300, 800));
  expect(await broken.ended).toBe('SIGKILL');
  await fixture.publish(ids(at, 700, 900));
  fixture.startLanding();
  await fixture.waitUntilAllLanded();
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
});

test('kill -9 at any moment, again and again, under load', async () => {
  let sending = true;
  const load = (async () => {
    for (let i = 0; i < howMany(30, 60); i++) {
      await fixture.publish(ids('any', i * 100, i * 100 + 150));
      await sleep(60);
    }
    sending = false;
  })();
  while (sending) {
    const landing = fixture.startLanding();
    await sleep(450 + Math.floor((performance.now() * 7) % 400));
    landing.kill();
    await landing.ended;
  }
  await load;
  fixture.startLanding();
  await fixture.waitUntilAllLanded();
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
});
