import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { StackFile } from '../../local/stack-file.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { api as apiOf } from '../../test/stack/api.ts';
import { median, rounded } from '../figures.ts';
import { copySubscriptions, made, makeTemplate } from '../many-subscriptions.ts';
import { pidOf, residentMb } from '../process-usage.ts';
import { startWorkflows } from '../renewals.ts';

const DAY_MS = 86_400_000;
/** From the start of the workflows to the instant at which all are due, and for each of them. */
const [START_MS, EACH_MS] = [30_000, 40];
const DRAFTS = 3;
const PAYER = 'payer';

/** `running`: workflows that there are before. */
type Fixture = { file: StackFile; postgres: Pool; client: Client; running: number };

/**
 * So many subscriptions that are invoiced at one instant, each of a customer that pays itself; then as many of customers that one pays for, on one
 * invoice; and the draft of that payer.
 */
export async function measurePayer(fixture: Fixture, count: number) {
  const worker = pidOf(fixture.file, 'worker');
  const separate = await closeAll(fixture, { name: 'alone', count, isPaidFor: false });
  const between = residentMb(worker);
  const running = fixture.running + count;
  const together = await closeAll({ ...fixture, running }, { name: 'child', count, isPaidFor: true });
  const drafts: number[] = [];
  for (let i = 0; i < DRAFTS; i++) drafts.push(await draftMs(fixture.file));
  return {
    subscriptions: count,
    ...{ 'separate/s': rounded(separate), 'children/s': rounded(together), ratio: rounded(together / separate) },
    'worker MB': `${between} ${residentMb(worker)}`,
    'draft of the payer s': rounded(median(drafts) / 1000),
  };
}

/** Closings a second, until the last is invoiced: as in `renewals` their period ended today at 00:00, and a grace ends for all at once. */
async function closeAll(
  { file, postgres, client, running }: Fixture,
  { name, count, isPaidFor }: { name: string; count: number; isPaidFor: boolean },
): Promise<number> {
  const api = apiOf(file.api_key, file.base_url);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const dueAt = Math.ceil((Date.now() + START_MS + count * EACH_MS) / 1000) * 1000;
  await api.patch('/api/account', { invoice_grace_seconds: (dueAt - today) / 1000 });
  const startDate = new Date(today - 30 * DAY_MS).toISOString().slice(0, 10);
  const template = await makeTemplate(api, file.account_id, name, startDate);
  await copySubscriptions(postgres, template, count - 1);
  if (isPaidFor) {
    await made(api, '/api/customers/', { customer_id: PAYER, email: 'bench@meterbook.example' });
    await postgres.query(
      `INSERT INTO billed_to SELECT account_id, customer_id, $2 FROM customers WHERE account_id = $1 AND customer_id LIKE $3`,
      [file.account_id, PAYER, `${name}%`],
    );
  }
  // As autovacuum has done soon after: what was just copied has no statistics.
  await postgres.query('ANALYZE');
  await startWorkflows({ client }, running + count);
  if (Date.now() > dueAt) throw new Error('Not all workflows were asleep when they fell due: make EACH_MS larger.');
  await sleep(dueAt - Date.now());
  const invoiced = isPaidFor
    ? 'SELECT count(*)::int AS made FROM invoice_sections WHERE account_id = $1 AND invoice_id IS NOT NULL'
    : "SELECT count(*)::int AS made FROM invoices WHERE account_id = $1 AND kind = 'period' AND customer_id LIKE 'alone%'";
  for (;;) {
    const { rows } = await postgres.query<{ made: number }>(invoiced, [file.account_id]);
    if ((rows[0]?.made ?? 0) >= count) return count / ((Date.now() - dueAt) / 1000);
    await sleep(100);
  }
}

async function draftMs({ base_url, api_key }: StackFile): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(new URL(`/api/customers/${PAYER}/draft_invoice/`, base_url), {
    headers: { 'X-API-KEY': api_key },
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  return performance.now() - begun;
}
