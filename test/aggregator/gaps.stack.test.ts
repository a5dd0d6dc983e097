import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSwallowingProxy } from './swallowing-proxy.ts';
import { exactly, startUsageScene, type UsageScene } from './usage-scene.ts';

const LOSSES = 3;
let scene: UsageScene;

beforeAll(async () => {
  scene = await startUsageScene(2);
});
afterAll(() => scene.stop());

test('messages lost in the middle of an answer of the stream are read again, and land', async () => {
  const proxy = await startSwallowingProxy(scene.engines.natsUrl, LOSSES);
  const ids = Array.from({ length: 3_000 }, (_, i) => `gap-${i}`);
  await scene.publish(ids, 20);
  const landing = scene.startLanding({ nats: proxy.url });
  await scene.waitUntilAllLanded();
  expect(await scene.totals()).toEqual(exactly(ids.length));
  expect(proxy.lost()).toBe(LOSSES);
  landing.kill();
  await landing.ended;
  proxy.stop();
});
