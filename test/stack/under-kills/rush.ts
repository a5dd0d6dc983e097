import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { expect } from 'vitest';
import {
  copyCustomers,
  customerOf,
  makeCustomerTemplate,
  SUBSCRIPTIONS_EACH,
} from '../../../bench/first-of-month/many-customers.ts';
import { isoFromInstant } from '../../../core/instants.ts';
import type { Stack } from '../../../local/start-stack.ts';
import { createPool, type Pool } from '../../../sql/postgres/postgres.ts';
import { RECONCILE_SCHEDULE } from '../../../workflows/workflow-ids.ts';
import { newAccount } from '../accounts.ts';
import { type Api, api } from '../api.ts';
import { sendEvents } from '../event-sender.ts';
import { patiently } from '../kills.ts';
import { waitUntil } from '../wait-until.ts';
import { tellSubscriptions } from './tell-subscriptions.ts';

const DAY_MS = 86_400_000;
const BURST = 'rush';
/** Until it is said when they end. */
const ENDS_IN_MS = 3_600_000;
/** Whoever was killed is missed for some 10 s, and a busy machine takes longer. */
const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 100;
const CALL_EVERY_MS = 1_000;

type Records = { accountId: string; postgres: Pool };

/**
 * Subscriptions of one account, ten of each customer, whose periods are to end at one instant of real time, closed while processes are killed
 * and calls make invoices, too.
 */
export async function openRush(stack: Stack, customers: number) {
  const file = stack.file();
  const { accountId, key } = await newAccount({ at: file });
  const call = api(key, file.base_url);
  const postgres = createPool(file.postgres_url);
  // A busy machine takes longer to connect than a caller is to wait for it.
  await onceAlive(() => postgres.query('SELECT'));
  const records = { accountId, postgres };
  const startDate = isoFromInstant(Date.now() - 20 * DAY_MS).slice(0, 10);
  const template = await makeCustomerTemplate({ api: call, ...records }, startDate);
  const due = customers * SUBSCRIPTIONS_EACH;
  await copyCustomers(postgres, template, BURST, { count: customers, endsAt: new Date(Date.now() + ENDS_IN_MS) });
  await sendUsage({ baseUrl: file.base_url, apiKey: key }, customers);
  await inTemporal(stack, (temporal) => startWorkflows(temporal, accountId, due + SUBSCRIPTIONS_EACH));
  const steps = 2 * due;
  let endsAt = new Date();
  let watch: ReturnType<typeof watchRush> | undefined;

  const untilMoreThan = (before: number) =>
    waitUntil(
      async () => watch?.steps() ?? 0,
      (now) => now > before || now >= steps,
      PATIENCE_MS,
    );

  return {
    due,
    /** Has all of them end then. */
    async dueAt(instant: number): Promise<void> {
      endsAt = new Date(instant);
      const copies = `account_id = $1 AND subscription_id LIKE '%-${BURST}-%'`;
      const sql = `UPDATE periods SET ends_at = $2 WHERE ${copies} RETURNING subscription_id`;
      const { rows } = await postgres.query<{ subscription_id: string }>(sql, [accountId, endsAt.toISOString()]);
      expect(rows).toHaveLength(due);
      const ids = rows.map(({ subscription_id }) => subscription_id);
      await tellSubscriptions(stack, accountId, ids);
    },
    /** Something was done since, or all is. */
    async progress(): Promise<void> {
      await untilMoreThan(watch?.steps() ?? 0);
    },
    /**
     * Returns once each period was closed, and each workflow waits for its next one: how many invoices calls have made meanwhile, and what stands in
     * the records.
     */
    async close() {
      watch = watchRush(records);
      const calls = openSubscriptions(call);
      try {
        await untilMoreThan(steps - 1);
      } finally {
        await Promise.all([calls.stop(), watch.stop()]);
      }
      await inTemporal(stack, (temporal) => untilAllWait(temporal, records, endsAt));
      const found = await onceAlive(() => readBack(records));
      return { opened: await calls.stop(), outOfOrder: await watch.stop(), ...found };
    },
    end: () => postgres.end(),
  };
}

/** What Postgres answers once it lives: it is killed at any moment, and a statement that it refuses is a mistake. */
async function onceAlive<T>(ask: () => Promise<T>): Promise<T> {
  const asked = () =>
    ask().then(
      (answer) => ({ answer }),
      (error: Error & { code?: string }) => {
        // Postgres' own codes have five characters; those of class 57 say that it ends or starts.
        if (error.code?.length === 5 && !error.code.startsWith('57')) throw error;
        return null;
      },
    );
  const found = await waitUntil(asked, (one) => one !== null, PATIENCE_MS);
  if (found === null) throw new Error('Postgres does not come back.');
  return found.answer;
}

async function inTemporal(stack: Stack, work: (temporal: Client) => Promise<void>): Promise<void> {
  const connection = await Connection.connect({ address: stack.file().temporal_address });
  await work(new Client({ connection })).finally(() => connection.close());
}

const RUNNING = 'WorkflowType = "subscription" AND ExecutionStatus = "Running"';
const LOOKS_PER_TRIGGER = 50;

/** Has the sweep start what the records have more than Temporal: it begins no round while one is under way, which may have passed them by. */
async function startWorkflows(temporal: Client, accountId: string, wanted: number): Promise<void> {
  const ours = `${RUNNING} AND AccountId = "${accountId}"`;
  for (let looks = 0; (await temporal.workflow.count(ours)).count < wanted; looks++) {
    if (looks % LOOKS_PER_TRIGGER === 0) await temporal.schedule.getHandle(RECONCILE_SCHEDULE).trigger();
    await sleep(LOOK_EVERY_MS);
  }
}

/** An event of each customer: one call of five tokens, which each of its subscriptions bills in its own way. */
async function sendUsage(to: { baseUrl: string; apiKey: string }, customers: number): Promise<void> {
  const time_created = isoFromInstant(Date.now() - DAY_MS);
  const events = Array.from({ length: customers }, (_, n) => ({
    ...{ event_name: 'api_call', customer_id: customerOf(BURST, n), idempotency_id: `${BURST}-${n}` },
    ...{ time_created, properties: { tokens: 5 } },
  }));
  await sendEvents(to, events);
}

/** Looks at the records again and again: how many periods have ended and been invoiced, and whether every invoice that is there has all before it. */
function watchRush({ accountId, postgres }: Records) {
  const sql = `SELECT count(*)::int AS made, coalesce(max(substring(invoice_number FROM '\\d+')::int), 0) AS last,
      (SELECT count(*)::int FROM periods WHERE account_id = $1 AND period_index = 1) AS ended,
      count(*) FILTER (WHERE kind = 'period')::int AS invoiced
    FROM invoices WHERE account_id = $1`;
  const outOfOrder: string[] = [];
  let steps = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      // Nobody answers while Postgres is dead.
      const looked = await postgres
        .query<{ made: number; last: number; ended: number; invoiced: number }>(sql, [accountId])
        .catch(() => undefined);
      const seen = looked?.rows[0];
      if (seen) steps = seen.ended + seen.invoiced;
      if (seen && seen.made !== seen.last) outOfOrder.push(`${seen.made} invoices, the last is ${seen.last}`);
      await sleep(LOOK_EVERY_MS);
    }
  })();
  return {
    steps: () => steps,
    stop: async () => {
      isOver = true;
      await watching;
      return outOfOrder;
    },
  };
}

/** Calls whose invoices the API makes, each of a customer of its own; one that was not answered is asked again under its key. */
function openSubscriptions(call: Api) {
  const plan = { name: 'In advance', recurring_fee: 7, billing_period: 'monthly', charge_timing: 'in_advance' };
  let isOver = false;
  const opening = (async () => {
    const { plan_id } = (await patiently(() => call.post('/api/plans', plan))).body;
    let opened = 0;
    for (; !isOver; opened++) {
      const customer_id = `opens-${opened}`;
      await patiently(() => call.post('/api/customers/', { customer_id, email: 'a@acme.test' }));
      const headers = { 'Idempotency-Key': customer_id };
      await patiently(() => call.post('/api/subscriptions', { customer_id, plan_id }, headers));
      await sleep(CALL_EVERY_MS);
    }
    return opened;
  })();
  return {
    stop: () => {
      isOver = true;
      return opening;
    },
  };
}

/** The workflow of each live subscription shows a period that ends later. */
async function untilAllWait(temporal: Client, { accountId, postgres }: Records, endsAt: Date): Promise<void> {
  const sql = `SELECT count(*)::int AS live FROM subscriptions WHERE account_id = $1 AND status = 'active'`;
  const { rows } = await onceAlive(() => postgres.query<{ live: number }>(sql, [accountId]));
  const live = rows[0]?.live;
  const waiting = `${RUNNING} AND AccountId = "${accountId}" AND PeriodEnd > "${endsAt.toISOString()}"`;
  await waitUntil(
    async () => (await temporal.workflow.count(waiting)).count,
    (count) => count === live,
    PATIENCE_MS,
  );
}

type Billed = {
  subscription_id: string;
  kind: string;
  invoice_number: string;
  total: string;
  /** What its events, and its audit entries, say for its number. */
  told: string[];
  noted: string[];
};

/** What stands in the records in the end. */
async function readBack({ accountId, postgres }: Records) {
  const sql = `SELECT subscription_id, kind, invoice_number, trim_scale(total)::text AS total,
      ARRAY(SELECT data->>'invoice_number' FROM outbox_events e WHERE e.account_id = $1
        AND e.type = 'invoice.created' AND e.subject = 'invoice/' || i.invoice_id) AS told,
      ARRAY(SELECT after->>'invoice_number' FROM audit_entries a WHERE a.account_id = $1
        AND a.action = 'invoice.created' AND a.resource_id = i.invoice_id) AS noted
    FROM invoices i WHERE account_id = $1 ORDER BY seq`;
  const invoices = (await postgres.query<Billed>(sql, [accountId])).rows;
  const ofPeriods = invoices.filter(({ kind }) => kind === 'period');
  const isSaid = ({ invoice_number, kind, told, noted }: Billed) => {
    // What a call has made is in the audit log under the call.
    const entries = kind === 'period' ? [invoice_number] : [];
    return isDeepStrictEqual([told, noted], [[invoice_number], entries]);
  };
  return {
    numbers: invoices.map(({ invoice_number }) => invoice_number),
    billed: ofPeriods.map(({ subscription_id }) => subscription_id),
    totals: ofPeriods.map(({ total }) => total).toSorted(),
    /** Invoices whose event or audit entry is missing, is there twice, or says another number. */
    saidOtherwise: invoices.filter((invoice) => !isSaid(invoice)),
    placeholders: await findPlaceholders(postgres),
  };
}

/** The tables in which a row says a number that was still to come. */
async function findPlaceholders(postgres: Pool): Promise<string[]> {
  const sql = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`;
  const tables = (await postgres.query<{ table_name: string }>(sql)).rows.map(({ table_name }) => table_name);
  const saying = tables.map(async (table) => {
    const { rows } = await postgres.query(`SELECT FROM ${table} t WHERE t::text LIKE '%{invoice:%' LIMIT 1`);
    return rows.length > 0 ? [table] : [];
  });
  return (await Promise.all(saying)).flat();
}
