import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { createGroupCommit } from '../../ingest/group-commit.ts';
import { openUsagePublisher } from '../../ingest/usage-publisher.ts';
import { createLog } from '../../runtime/log.ts';
import { loadUsageStream } from '../../stream/streams.ts';
import { DEAD_LETTERS_STREAM } from '../../stream/subjects.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { howMany } from '../how-many.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { startSwallowingProxy } from './swallowing-proxy.ts';
import { ACCOUNT, exactly, type LandingProcess, startUsageFixture, type UsageFixture } from './usage-fixture.ts';

let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture();
});
afterAll(() => fixture.stop());

const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

/** One aggregator goes through all that happens to its engines, but where it reaches them by a way of its own. */
let landing: LandingProcess;
const hasLasted = () => landing.child.exitCode === null && landing.child.signalCode === null;
async function landThrough(way: Record<string, string>) {
  await fixture.endLanding();
  landing = fixture.startLanding(way);
}

async function expectExactTotals() {
  await fixture.waitUntilAllLanded();
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
}

test('the answer of a committed insert is lost: it is repeated and changes nothing', async () => {
  const proxy = await startCuttingProxy(fixture.engines.clickhouseUrl, 3);
  await landThrough({ clickhouse: proxy.url });
  const lost = newId('evt');
  // A batch at a time: an insert that committed is not sent again, so each answer that is lost is another batch's.
  for (let n = 0; proxy.lost() < 3; n++) {
    await fixture.publish(ids(`${lost}-${n}`, 500));
    await fixture.waitUntilAllLanded();
  }
  await expectExactTotals();
  expect(proxy.lost()).toBe(3);
  await fixture.endLanding();
  proxy.stop();
});

test('messages lost in the middle of an answer of the stream are read again, and land', async () => {
  const proxy = await startSwallowingProxy(fixture.engines.natsUrl, 3);
  await fixture.publish(ids('gap', 3_000), 20);
  await landThrough({ nats: proxy.url });
  await expectExactTotals();
  expect(proxy.lost()).toBe(3);
  await fixture.endLanding();
  proxy.stop();
});

test('ClickHouse killed under load: the aggregator waits for it and lands everything once', async () => {
  await landThrough({});
  for (let round = 0; round < howMany(1, 3); round++) {
    const load = (async () => {
      for (let i = 0; i < 10; i++) await fixture.publish(ids(`ch-${round}`, 200 + 50 * i)).then(() => sleep(60));
    })();
    await sleep(200 + round * 130);
    await fixture.engines.killClickHouse();
    await load;
  }
  await expectExactTotals();
  expect(hasLasted()).toBe(true);
});

test('NATS killed under load: what was answered 200 lands once, what was refused may be sent again', async () => {
  const settings = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };
  const publisher = openUsagePublisher(fixture.engines.natsUrl, settings, createLog('test', 'silent'), ({ jsm }) =>
    loadUsageStream(jsm),
  );
  const commit = createGroupCommit(publisher.storeGroup, () => {});
  await fixture.publish(ids('nats', 1_500), 500);
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
    for (let i = 0; i < 2_500; i += 100) {
      await Promise.all(
        ids('nats', 2_500)
          .slice(i, i + 100)
          .map(send),
      );
      await sleep(20);
    }
  })();
  for (let round = 0; round < howMany(1, 3); round++) {
    await sleep(300);
    await fixture.engines.killNats();
  }
  await sending;
  await fixture.publish(ids('nats', 2_500), 500);
  await expectExactTotals();
  expect(hasLasted()).toBe(true);
  expect(refused).toBeLessThan(2_500);
  await publisher.close();
});

test('a message that cannot be decoded goes to the dead letters and stops nothing', async () => {
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
});
