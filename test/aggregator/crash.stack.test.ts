import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { exactly, startUsageScene, type UsageScene } from './usage-scene.ts';

let scene: UsageScene;

beforeAll(async () => {
  scene = await startUsageScene();
});
afterEach(() => scene.endLanding());
afterAll(() => scene.stop());

/** Ids of which every tenth is a repeat of an older one. */
const ids = (tag: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `${tag}-${i % 10 === 9 ? Math.floor((from + i) / 2) : from + i}`);

test.each(['pulled', 'decided', 'claimed', 'inserted', 'landed'])('kill -9 once a batch was %s', async (at) => {
  await scene.publish(ids(at, 0, 400));
  const broken = scene.startLanding({ at, nth: '2' });
  // A machine that is busy may have made two batches of these already.
  await Promise.race([scene.waitUntilAllLanded(), broken.ended]);
  await scene.publish(ids(at, 300, 800));
  expect(await broken.ended).toBe('SIGKILL');
  await scene.publish(ids(at, 700, 900));
  scene.startLanding();
  await scene.waitUntilAllLanded();
  const totals = await scene.totals();
  expect(totals).toEqual(exactly(totals.expected));
});

test('kill -9 at any moment, again and again, under load', async () => {
  let sending = true;
  const load = (async () => {
    for (let i = 0; i < 60; i++) {
      await scene.publish(ids('any', i * 100, i * 100 + 150));
      await sleep(60);
    }
    sending = false;
  })();
  while (sending) {
    const landing = scene.startLanding();
    await sleep(450 + Math.floor((performance.now() * 7) % 400));
    landing.kill();
    await landing.ended;
  }
  await load;
  scene.startLanding();
  await scene.waitUntilAllLanded();
  const totals = await scene.totals();
  expect(totals).toEqual(exactly(totals.expected));
});
