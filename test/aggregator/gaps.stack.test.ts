import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSwallowingProxy } from './swallowing-proxy.ts';
import { exactly, startUsageFixture, type UsageFixture } from './usage-fixture.ts';

const LOSSES = 3;
let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture(2);
});
afterAll(() => fixture.stop());

test('messages lost in the middle of an answer of the stream are read again, and land', async () => {
  const proxy = await startSwallowingProxy(fixture.engines.natsUrl, LOSSES);
  const ids = Array.from({ length: 3_000 }, (_, i) => `gap-${i}`);
  await fixture.publish(ids, 20);
  const landing = fixture.startLanding({ nats: proxy.url });
  await fixture.waitUntilAllLanded();
  expect(await fixture.totals()).toEqual(exactly(ids.length));
  expect(proxy.lost()).toBe(LOSSES);
  landing.kill();
  await landing.ended;
  proxy.stop();
});
