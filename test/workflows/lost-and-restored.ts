import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeBackup } from '../../cli/backup.ts';
import { restoreBackup } from '../../cli/restore.ts';
import type { StoreAddresses } from '../../cli/with-stores.ts';
import { encryptionKeysFile } from '../../local/encryption-keys.ts';
import { createSecretCipher } from '../../runtime/cipher.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadProcessConfig } from '../../runtime/config.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { nextStepsQuery } from '../../workflows/definitions/messages.ts';
import { readableInstant } from '../../workflows/definitions/workflow-time.ts';
import {
  collectionWorkflowId,
  subscriptionWorkflowId,
  webhookRetriesWorkflowId,
} from '../../workflows/workflow-ids.ts';
import { putRecords } from '../local/prepared-records.ts';
import type { Json } from '../stack/api.ts';
import { type On, startOwnStack } from '../stack/own-stack.ts';
import { fakeStripe, sendHook } from '../stack/processors.ts';
import { landed, makeMetric, track } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { inTemporal, lookAgain } from './look-again.ts';
import { type Lives, onClock, openLives, openRealTime, type RealTime } from './real-time-lives.ts';

/** `find`: asked once the stack has started. `opened`: what has been opened on it already, if it has. */
export function testLostAndRestored(find: () => On, opened: () => Promise<Lives> | undefined): void {
  let on: On;
  let folder = '';

  beforeAll(async () => {
    on = find();
    folder = await mkdtemp(join(tmpdir(), 'meterbook-restored-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const lives = () => opened() ?? openLives(() => on.stack.file());
  const hasStatus = (status: string) => (record: Json) => String(record.status) === status;

  /** What Temporal knows of a workflow; undefined where it knows none of that id. */
  const workflowStatus = (workflowId: string) =>
    inTemporal(on.stack.file(), async (client) => (await client.getHandle(workflowId).describe()).status.name).catch(
      () => undefined,
    );

  /** What the workflow of a subscription waits for. */
  const nextStep = (workflowId: string) =>
    inTemporal(on.stack.file(), async (client) => (await client.getHandle(workflowId).query(nextStepsQuery))[0]).catch(
      () => undefined,
    );

  /** Has workflows learn what the test has changed in the records. */
  const tellToLook = (...workflowIds: string[]) => lookAgain(on.stack.file(), ...workflowIds);

  /** Stripe tells of something. */
  async function tell(externalName: string, type: string, object: object): Promise<void> {
    const event = await fakeStripe().event(type, object, { account: `acct_${externalName}` });
    expect(await sendHook(event, 'stripe', on.stack.file())).toBe(200);
  }

  const isPaid = ([first]: Json[]) => String(first?.status) === 'paid';

  /** Paid by one charge. */
  async function paidOnce({ stripe }: RealTime, one: { payer: string; invoices(): Promise<Json[]> }, limitMs?: number) {
    const invoices = await waitUntil(one.invoices, isPaid, limitMs);
    expect(invoices).toHaveLength(1);
    expect(await stripe.chargesOf(one.payer)).toHaveLength(1);
  }

  function eachOnce(invoices: Json[], count: number): void {
    const starts = invoices.map(({ period_start }) => String(period_start));
    expect(starts).toEqual([...new Set(starts)].toSorted());
    expect(starts).toHaveLength(count);
  }

  /** All of it is done within a minute, and twice that on a machine that is busy with other tests. */
  const LIMIT_MS = 120_000;

  /** Waits for what is to come within {@link LIMIT_MS} of `since`. */
  function inTime(since: number) {
    return async <T>(what: string, ask: () => Promise<T>, check: (answer: T) => boolean) => {
      const left = since + LIMIT_MS - Date.now();
      return waitUntil(ask, check, left).catch((error) => {
        throw new Error(`${what}: ${error.message}`);
      });
    };
  }

  /** No workflow knows of it yet when Temporal is lost: nothing is done before. */
  const SOON_S = 4;

  /** Temporal's database is gone; its server comes back by itself, and knows nothing. */
  async function loseTemporal(): Promise<void> {
    await rm(join(on.stack.dataDir, 'temporal'), { recursive: true, force: true });
    const { temporal } = on.stack.file().pids;
    if (!temporal) throw new Error('no Temporal');
    process.kill(temporal, 'SIGKILL');
  }

  test('Temporal loses all that it knew: everything is done on time, once', { timeout: 300_000 }, async () => {
    const { real, delivery, refund, slow, retried, renewing, pending, paused, ending, told, clocked } = await lives();
    const { stripe, accountId } = real;
    await Promise.all([
      paused.act('pause', { resumes_at: new Date(Date.now() + 3_600_000).toISOString() }),
      ending.act('cancel', { cancel_at: 'end_of_period' }),
    ]);
    await stripe.hidePayer(told.payer);
    await stripe.setCard(told.payer, 'good');
    await tell('temporallost', 'customer.updated', { id: told.payer });
    await waitUntil(
      () => stripe.ordersOf(slow.payer),
      (orders) => orders === 1,
    );
    await stripe.setCard(retried.payer, 'good');
    await Promise.all([
      delivery.retryIn(SOON_S),
      retried.retryIn(SOON_S),
      real.endsIn(renewing.id, SOON_S),
      real.setIn('subscriptions', 'resumes_at', paused.id, SOON_S),
      real.setIn('subscriptions', 'cancel_at', ending.id, SOON_S),
    ]);
    await clocked.begin('2027-01-10T09:00:00Z');
    await loseTemporal();
    const lostAt = Date.now();

    const { id: reference } = await stripe.intentOf(slow.payer);
    await stripe.settle(reference, 'succeeded');
    await tell('temporallost', 'payment_intent.succeeded', await stripe.intentOf(slow.payer));
    await stripe.settleRefund(refund.reference, 'succeeded');
    delivery.accept();
    await stripe.showPayer(told.payer);
    const soon = inTime(lostAt);
    await Promise.all([
      soon('renews', renewing.invoices, (all) => all.length === 1),
      soon('resumes', paused.read, hasStatus('active')),
      soon('is canceled as planned', ending.read, hasStatus('canceled')),
      soon('is refunded', refund.read, hasStatus('succeeded')),
      soon('is delivered', delivery.read, (one) => String(one?.status) === 'succeeded'),
      soon('is charged again', retried.invoices, isPaid),
      soon('has a payment method', told.customer, (one) => String(one.has_payment_method) === 'true'),
      soon(
        'waits for its start',
        () => workflowStatus(subscriptionWorkflowId({ accountId, subscriptionId: pending.id })),
        (status) => status === 'RUNNING',
      ),
    ]);
    for (const one of [retried, renewing, slow]) await paidOnce(real, one);
    expect(await stripe.refundsOf((await stripe.chargesOf(refund.payer))[0]?.reference ?? '')).toHaveLength(1);
    expect(await clocked.rest()).toMatchObject({ status: 'ready' });
    eachOnce(await clocked.invoices(), 12);
    await delivery.hooks.close();
  });

  /** Life goes on after a backup, Postgres and ClickHouse are lost, and the backup is restored; Temporal knows all that was done since. */
  async function restore(backup: string, later: (databaseUrl: string) => Promise<unknown>): Promise<void> {
    const { dataDir } = on.stack;
    await on.stack.halt();
    for (const engine of ['postgres', 'clickhouse']) await rm(join(dataDir, engine), { recursive: true, force: true });
    await putRecords(dataDir, 'empty');
    const keys = loadProcessConfig({ ENCRYPTION_KEYS_FILE: encryptionKeysFile(dataDir) }).loadEncryptionKeys;
    const secrets = { cipher: createSecretCipher(keys), withoutSecrets: false, clock: systemClock };
    const restored = async (stores: StoreAddresses) => {
      expect((await restoreBackup(stores, backup, secrets)).secrets_replaced).toEqual([]);
      await later(stores.databaseUrl);
    };
    on.stack = await startOwnStack(on.environment, restored, dataDir);
  }

  /** In the records the time has come for all that an account has planned, and for a subscription's period to end. */
  async function fallDue(databaseUrl: string, accountId: string, subscriptionId: string): Promise<void> {
    const postgres = createPool(databaseUrl);
    const now = `date_trunc('milliseconds', now())`;
    const due = [
      `UPDATE subscriptions SET resumes_at = ${now} WHERE account_id = $1 AND resumes_at IS NOT NULL`,
      `UPDATE subscriptions SET cancel_at = ${now} WHERE account_id = $1 AND status = 'active' AND cancel_at IS NOT NULL`,
      `UPDATE payment_attempts SET created_at = ${now} - interval '1 day' WHERE account_id = $1 AND status = 'failed'`,
      `UPDATE webhook_deliveries SET next_attempt_at = ${now} WHERE account_id = $1 AND next_attempt_at IS NOT NULL`,
    ];
    try {
      for (const sql of due) expect((await postgres.query(sql, [accountId])).rowCount).toBeGreaterThan(0);
      const ends = `UPDATE periods SET ends_at = ${now} WHERE account_id = $1 AND subscription_id = $2`;
      expect((await postgres.query(ends, [accountId, subscriptionId])).rowCount).toBe(1);
    } finally {
      await postgres.end();
    }
  }

  test('Postgres is restored from a backup under a Temporal that knows later things: every workflow looks again at once', {
    timeout: 600_000,
  }, async () => {
    const real = await openRealTime(() => on.stack.file(), 'restored');
    const { api, stripe, accountId } = real;
    const workflowOf = ({ id }: { id: string }) => subscriptionWorkflowId({ accountId, subscriptionId: id });
    const metric_id = String((await makeMetric(api())).metric_id);
    const [delivery, refund, slow, retried, declined, renewing, later, pending, paused, ending, kept, clocked] =
      await Promise.all([
        real.delivered(),
        real.refunded(),
        real.live({ card: 'slow', plan: { charge_timing: 'in_advance' } }),
        real.debtor(),
        real.debtor(),
        real.live({ card: 'good' }),
        real.live({ card: 'good', plan: { components: [{ metric_id, overage_price: 2 }] } }),
        real.live({ body: { start_date: '2999-01-01' } }),
        real.live(),
        real.live(),
        real.live(),
        onClock(real),
      ]);
    await Promise.all([
      paused.act('pause', { resumes_at: new Date(Date.now() + 3_600_000).toISOString() }),
      ending.act('cancel', { cancel_at: 'end_of_period' }),
      kept.act('cancel', { cancel_at: 'end_of_period' }),
      clocked.begin('2026-02-10T09:00:00Z').then(clocked.rest),
      stripe.setCard(retried.payer, 'good'),
      real.endsIn(later.id, 3_600),
    ]);
    const inAnHour = String((await later.read()).current_period_end);

    await waitUntil(
      () => stripe.ordersOf(slow.payer),
      (orders) => orders === 1,
    );
    const backup = join(folder, 'backup');
    const { postgres_url: databaseUrl, clickhouse_url: clickhouseUrl, nats_url: natsUrl } = on.stack.file();
    await takeBackup({ databaseUrl, clickhouseUrl, natsUrl }, backup, systemClock);

    // Life goes on, and all of this will be forgotten but by Temporal, Stripe, the receiver, and the usage stream.
    delivery.accept();
    const [created] = await Promise.all([
      real.live(),
      kept.act('cancel', { cancel_at: null }),
      pending.act('cancel'),
      track(api(), { customer_id: later.customer_id, time_created: new Date().toISOString() }),
      clocked.begin('2026-06-20T09:00:00Z'),
      stripe.settle((await stripe.intentOf(slow.payer)).id, 'succeeded'),
    ]);
    await landed(api());
    await fallDue(databaseUrl, accountId, renewing.id);
    await real.endsIn(later.id, 0);
    const unpaid = await Promise.all([retried, declined].map(({ invoices }) => invoices()));
    await tellToLook(
      ...[renewing, later, paused, ending, created].map(workflowOf),
      ...unpaid.map(([one]) => collectionWorkflowId({ accountId, invoiceId: String(one?.invoice_id) })),
      webhookRetriesWorkflowId({ accountId, deliveryId: delivery.id, round: 1, dueAt: 0 }),
    );
    await tell('restored', 'payment_intent.succeeded', await stripe.intentOf(slow.payer));
    const soon = inTime(Date.now());
    await Promise.all([
      soon('renews', renewing.invoices, isPaid),
      soon('renews before its time', later.invoices, isPaid),
      soon('is paid by a bank', slow.invoices, isPaid),
      soon('resumes', paused.read, hasStatus('active')),
      soon('is canceled as planned', ending.read, hasStatus('canceled')),
      soon('is delivered', delivery.read, (one) => String(one?.status) === 'succeeded'),
      soon('is charged again', retried.invoices, isPaid),
      soon(
        'is declined again',
        () => stripe.ordersOf(declined.payer),
        (orders) => orders === 2,
      ),
    ]);
    await clocked.rest();
    await stripe.settleRefund(refund.reference, 'succeeded');
    const received = delivery.hooks.received.length;

    await restore(backup, (restoredUrl) => fallDue(restoredUrl, accountId, renewing.id));
    const again = inTime(Date.now());
    await Promise.all([
      again('renews', renewing.invoices, isPaid),
      again('resumes', paused.read, hasStatus('active')),
      again('is canceled as planned', ending.read, hasStatus('canceled')),
      again('is canceled, since the withdrawal is forgotten', kept.read, hasStatus('canceled')),
      again('is delivered', delivery.read, (one) => String(one?.status) === 'succeeded'),
      again('is paid by a bank, which does not tell it twice', slow.invoices, isPaid),
      again('is refunded', refund.read, hasStatus('succeeded')),
      again('is charged again', retried.invoices, isPaid),
      again(
        'is found declined',
        () => real.attemptsOf(declined),
        (attempts) => attempts === 2,
      ),
      again(
        'waits for its start',
        () => workflowStatus(workflowOf(pending)),
        (status) => status === 'RUNNING',
      ),
      again(
        'is nobody',
        () => workflowStatus(workflowOf(created)),
        (status) => status === 'TERMINATED',
      ),
    ]);
    expect(await pending.read()).toMatchObject({ status: 'pending' });
    for (const one of [renewing, retried, slow]) await paidOnce(real, one);
    expect(await stripe.ordersOf(declined.payer)).toBe(2);
    expect(await stripe.refundsOf((await stripe.chargesOf(refund.payer))[0]?.reference ?? '')).toHaveLength(1);
    expect(delivery.hooks.received.length).toBe(received + 1);
    // What is due later is waited for, too, and billed with the usage of after the backup.
    const billLater = async () => {
      await again(
        'waits for its end',
        () => nextStep(workflowOf(later)),
        (step) => step?.at === readableInstant(Date.parse(inAnHour)),
      );
      await real.endsIn(later.id, 0);
      await tellToLook(workflowOf(later));
      await paidOnce(real, later);
      expect(await later.invoices()).toMatchObject([{ total: '31' }]);
    };
    await Promise.all([clocked.begin('2026-05-20T09:00:00Z'), billLater()]);
    expect(await clocked.rest()).toMatchObject({ status: 'ready' });
    eachOnce(await clocked.invoices(), 4);
    await delivery.hooks.close();
  });
}
