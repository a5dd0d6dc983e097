import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { createGroupCommit } from '../../ingest/group-commit.ts';
import { openUsagePublisher } from '../../ingest/usage-publisher.ts';
import { createLog } from '../../runtime/log.ts';
import { loadUsageStream } from '../../stream/streams.ts';
import { DEAD_LETTERS_STREAM } from '../../stream/subjects.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { howMany } from '../how-many.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { ACCOUNT, exactly, startUsageFixture, type UsageFixture } from './usage-fixture.ts';

let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture();
});
afterEach(() => fixture.endLanding());
afterAll(() => fixture.stop());

const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

async function expectExactTotals() {
  await fixture.waitUntilAllLanded();
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
}

test('the answer of a committed insert is lost: it is repeated and changes nothing', async () => {
  const proxy = await startCuttingProxy(fixture.engines.clickhouseUrl, 3);
  const landing = fixture.startLanding({ clickhouse: proxy.url });
  const lost = newId('evt');
  // A batch at a time: an insert that committed is not sent again, so each answer that is lost is another batch's.
  for (let n = 0; proxy.lost() < 3; n++) {
    await fixture.publish(ids(`${lost}-${n}`, 500));
    await fixture.waitUntilAllLanded();
  }
  await expectExactTotals();
  expect(proxy.lost()).toBe(3);
  landing.kill();
  await landing.ended;
  proxy.stop();
});

test('ClickHouse killed under load: the aggregator waits for it and lands everything once', async () => {
  const landing = fixture.startLanding();
  for (let round = 0; round < howMany(2, 3); round++) {
    const load = (async () => {
      for (let i = 0; i < 10; i++) await fixture.publish(ids(`ch-${round}`, 200 + 50 * i)).then(() => sleep(60));
    })();
    await sleep(200 + round * 130);
    await fixture.engines.killClickHouse();
    await load;
  }
  await expectExactTotals();
  expect(landing.child.exitCode).toBeNull();
  landing.kill();
  await landing.ended;
});

test('NATS killed under load: what was answered 200 lands once, what was refused may be sent again', async () => {
  const settings = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };
  const publisher = openUsagePublisher(fixture.engines.natsUrl, settings, createLog('test', 'silent'), ({ jsm }) =>
    loadUsageStream(jsm),
  );
  const commit = createGroupCommit(publisher.storeGroup, () => {});
  const landing = fixture.startLanding();
  await fixture.publish(ids('nats', 3_000), 500);
  let refused = 0;

  async function send(id: string): Promise<void> {
    const properties = { numbers: {}, strings: {}, booleans: {} };
    const what = { accountId: ACCOUNT, customerId: 'c', eventName: 'e', timeCreated: 1_780_000_000_000, ...properties };
    const encoded = encodeUsageEvent({ ...what, idempotencyId: id, receivedAt: 1_780_000_000_000 });
    for (;;) {
      try {
        return await commit.add(0, encoded, { accountId: ACCOUNT });
      } catch {
        refused += 1;
        await sleep(100);
      }
    }
  }

  const sending = (async () => {
    for (let i = 0; i < 4_000; i += 100) {
      await Promise.all(
        ids('nats', 4_000)
          .slice(i, i + 100)
          .map(send),
      );
      await sleep(20);
    }
  })();
  for (let round = 0; round < howMany(2, 3); round++) {
    await sleep(300);
    await fixture.engines.killNats();
  }
  await sending;
  await fixture.publish(ids('nats', 4_000), 500);
  await expectExactTotals();
  expect(landing.child.exitCode).toBeNull();
  expect(refused).toBeLessThan(4_000);
  landing.kill();
  await landing.ended;
  await publisher.close();
}, 120_000);

test('a message that cannot be decoded goes to the dead letters and stops nothing', async () => {
  const landing = fixture.startLanding();
  const deadLetters = async () => (await fixture.connection.jsm.streams.info(DEAD_LETTERS_STREAM)).state.messages;
  const before = await deadLetters();
  await fixture.publish(ids('before', 10));
  await fixture.connection.js.publish('usage.0', '{"v":99,"events":[]}');
  await fixture.connection.js.publish('usage.0', 'garbage');
  await fixture.publish(ids('after', 10));
  await expectExactTotals();
  expect((await deadLetters()) - before).toBe(2);
  const first = await fixture.connection.jsm.streams.getMessage(DEAD_LETTERS_STREAM, { seq: 1 });
  expect(first?.header.get('Meterbook-Reason')).toBe('unknown_version');
  expect(first?.string()).toBe('{"v":99,"events":[]}');
  landing.kill();
  await landing.ended;
});
