import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { Bent, PublishedHead } from '../../billing/chain/chain.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { chainQueued } from '../../services/chain/chain-queued.ts';
import { checkChains } from '../../services/chain/check-chains.ts';
import { appendHeads, readHeads } from '../../services/chain/heads-file.ts';
import { publishHeads, witnessHeads } from '../../services/chain/publish-heads.ts';
import { countBentChains, replaceChainCheck } from '../../sql/postgres/chain/chain-checks.ts';
import { loadWitnessLag } from '../../sql/postgres/chain/chain-heads.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';
import { type Json, stack } from '../stack/api.ts';
import { eventsOf } from '../stack/billed-customer.ts';
import { makeCustomer } from '../stack/clocks.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { eventOf, startReceiver } from '../stack/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Heads of a chain (spec/chain#published-heads). */
async function inFolder<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'meterbook-heads-'));
  try {
    return await work(join(folder, 'heads.ndjson'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function headsIn(file: string): Promise<PublishedHead[]> {
  const heads: PublishedHead[] = [];
  for await (const head of readHeads(file)) heads.push(head);
  return heads;
}

const headAt = (accountId: string, sequence: number): PublishedHead => {
  return { accountId, sequence, chainHash: String(sequence).padStart(64, '0'), publishedAt: 1_767_225_600_000 };
};

test('a file of heads is added to, and a line that a crash has cut off spoils no other', async () => {
  await inFolder(async (file) => {
    await appendHeads(file, [headAt('acct_a', 1), headAt('acct_b', 7)]);
    await appendFile(file, '{"account_id":"acct_a","seq');
    await appendHeads(file, [headAt('acct_a', 2)]);
    expect(await headsIn(file)).toEqual([headAt('acct_a', 1), headAt('acct_b', 7), headAt('acct_a', 2)]);
    const [, first] = (await readFile(file, 'utf8')).split('\n');
    expect(JSON.parse(first ?? '')).toEqual({
      account_id: 'acct_a',
      sequence: 1,
      chain_hash: '0'.repeat(63).concat('1'),
      published_at: '2026-01-01T00:00:00.000Z',
    });
  });
});

test('a head is published once its oldest entry is an hour old: kept, and told to webhooks; the API shows it', async () => {
  const { api, accountId } = await newAccount();
  const head = async () => (await api.get('/api/chain/head')).body;
  expect(await head()).toEqual({
    sequence: 0,
    chain_hash: '0'.repeat(64),
    chained_at: null,
    published: null,
    verification: null,
  });
  await makeCustomer(api, 'acme');
  for (const amount of [5, 6])
    expect((await api.post('/api/credits', { customer_id: 'acme', amount })).status).toBe(201);
  await withPostgres(async (postgres) => {
    const publish = async () => {
      await chainQueued(postgres, systemClock.now());
      await publishHeads(postgres, systemClock.now());
      return head();
    };
    const chained = await waitUntil(publish, ({ sequence }) => Number(sequence) === 2);
    expect(chained).toMatchObject({ published: null });
    const age =
      "UPDATE chain_entries SET chained_at = chained_at - interval '61 minutes' WHERE account_id = $1 AND sequence = 1";
    await postgres.query(age, [accountId]);
    const { chain_hash, published } = await waitUntil(publish, (body) => body.published !== null);
    expect(published).toEqual({ account_id: accountId, sequence: 2, chain_hash, published_at: expect.anything() });
    const [event, ...more] = await eventsOf(`chain/${accountId}`);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'chain.head_published' });
    expect(JSON.parse(String(event?.data))).toEqual(published);

    const field = { field: 'lines.0.amount', stored: '9', chained: '29' };
    const bent: Bent = { found: 'record_changed', sequence: 2, kind: 'invoice', recordId: 'inv_1', fields: [field] };
    await replaceChainCheck(postgres, accountId, { checkedAt: 0, entries: 1, bent });
    const { recordId: record_id, ...told } = bent;
    expect((await head()).verification).toEqual({
      verified_at: '1970-01-01T00:00:00.000Z',
      entries: 1,
      bent: { ...told, record_id },
    });
    await replaceChainCheck(postgres, accountId, { checkedAt: 0, entries: 2, bent: null });
    expect((await head()).verification).toMatchObject({ entries: 2, bent: null });
  });
});

test('every night: what is bent is kept, counted and told, and forgotten when it is right again', async () => {
  const answer = await fetch(`${stack().temporal_ui_url}/api/v1/namespaces/default/schedules/verifyChain`);
  const { schedule } = (await answer.json()) as { schedule: { action: { startWorkflow: Json } } };
  expect(schedule.action.startWorkflow.workflowType).toEqual({ name: 'verifyChain' });

  const { api, accountId } = await newAccount();
  await makeCustomer(api, 'acme');
  expect((await api.post('/api/credits', { customer_id: 'acme', amount: 5 })).status).toBe(201);
  const head = async () => (await api.get('/api/chain/head')).body;
  await waitUntil(head, ({ sequence }) => Number(sequence) === 1);
  await withPostgres(async (postgres) => {
    const check = async (kind: string) => {
      const forge = 'UPDATE ledger_transactions SET kind = $2 WHERE account_id = $1';
      await postgres.query(forge, [accountId, kind]);
      const dependencies = { postgres, clock: systemClock, log: createLog('test', 'silent') };
      const checked = await checkChains(dependencies, new AbortController().signal);
      return { ...checked, counted: await countBentChains(postgres), found: (await head()).verification };
    };
    const bent = await check('refund_paid');
    expect(bent.bent).toBeGreaterThan(0);
    expect(bent.counted).toBeGreaterThan(0);
    expect(bent.found).toMatchObject({ entries: 0, bent: { found: 'record_changed', sequence: 1 } });
    expect((await check('credit_granted')).found).toMatchObject({ entries: 1, bent: null });
  });
  const { text } = await api.get('/metrics');
  expect(text).toMatch(/^meterbook_chain_bent_accounts(\{.*\})? \d+$/m);
  expect(text).toMatch(/^meterbook_chain_lag_seconds(\{.*\})? [\d.]+$/m);
  expect(text).toMatch(/^meterbook_chain_witness_lag_seconds(\{.*\})? [\d.]+$/m);
});

test('published heads are given to the file and, signed, to the witness; what it does not take is given again', async () => {
  const { accountId } = await newAccount();
  let status = 503;
  const receiver = await startReceiver((_, response) => void response.writeHead(status).end());
  await inFolder((file) =>
    withPostgres(async (postgres) => {
      let sequence = 0;
      /** The worker of the stack witnesses, too: what it was faster with is not ours. */
      const witness = async () => {
        const head = [accountId, ++sequence, 'a'.repeat(64)];
        await postgres.query("INSERT INTO chain_heads VALUES ($1, $2, $3, now() - interval '1 hour')", head);
        const server = { url: receiver.url, secret: SECRET };
        return witnessHeads(postgres, { file, server }, systemClock.now()).catch((error: Error) => error.message);
      };
      const refused = await waitUntil(
        async () => ({ answer: await witness(), lag: await loadWitnessLag(postgres) }),
        ({ answer, lag }) => typeof answer === 'string' && lag >= 3_600,
      );
      expect(refused.answer).toMatch(/^CHAIN_WITNESS_URL did not take \d+ heads: it answered 503$/);
      expect(await headsIn(file).catch(() => [])).toEqual([]);
      status = 204;
      await waitUntil(witness, (answer) => typeof answer === 'number' && answer > 0);
      const kept = (await headsIn(file)).filter((head) => head.accountId === accountId);
      expect(kept.map((head) => head.sequence)).toContain(sequence);
      const { body = '', headers = {} } = receiver.received.at(-1) ?? {};
      const event = eventOf(body);
      expect(new Webhook(SECRET).verify(body, headers)).toEqual(event);
      expect(event).toMatchObject({ type: 'chain.heads_published' });
      expect(JSON.stringify(event.data)).toContain(`{"account_id":"${accountId}","sequence":${sequence},`);
    }),
  );
  await receiver.close();
});
