import { describe, expect, test } from 'vitest';
import type { ChainEntry, PublishedHead } from '../../billing/chain/chain.ts';
import { newId } from '../../core/ids.ts';
import { isoFromInstant } from '../../core/instants.ts';
import { chainHashOf, GENESIS_HASH } from '../../services/chain/chain.ts';
import { verifyChains } from '../../services/chain/verify-chain.ts';
import { whileVerifying } from '../../sql/postgres/chain/chain-checks.ts';
import { listChainEntries } from '../../sql/postgres/chain/chain-entries.ts';
import { newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { invoicesOf, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { bend, verifyChainOf, wholeHeadOf } from '../stack/verify-chain.ts';

/** A chain of an account (spec/chain): its records, bent behind its back by who has all rights. */
type Chained = TestAccount & { entries: ChainEntry[]; invoice: string };

/** An invoice of 29 and 19 % of tax, paid, a credit, and an invoice that is open; all of it chained. */
async function makeChain(): Promise<Chained> {
  const account = await newAccount();
  const { api } = account;
  const billing_address = { line1: 'Main Street 1', city: 'Berlin', country: 'DE' };
  const fields = { customer_name: 'Acme', billing_address, tax_rate: 19 };
  for (const customer_id of ['acme', 'beta']) {
    await makeCustomer(api, customer_id, fields);
    await subscribe(api, { customer_id, plan_id: await makePlan(api, { charge_timing: 'in_advance' }) });
  }
  const [first] = await invoicesOf(api, 'customer_id=acme');
  expect((await api.post(`/api/invoices/${first?.invoice_id}/mark_paid`, { reference: 'bank-1' })).status).toBe(200);
  expect((await api.post('/api/credits', { customer_id: 'acme', amount: 5 })).status).toBe(201);
  return { ...account, invoice: String(first?.invoice_id), entries: await entriesOf(account) };
}

/** The entries of an account, once nothing of it waits to be chained. */
async function entriesOf({ accountId }: TestAccount): Promise<ChainEntry[]> {
  return withPostgres(async (postgres) => {
    await wholeHeadOf(postgres, accountId);
    return whileVerifying(postgres, (tx) => listChainEntries(tx, accountId, 0, 1_000));
  });
}

const verify = ({ accountId }: TestAccount, heads?: PublishedHead[]) =>
  withPostgres((postgres) => verifyChainOf(postgres, accountId, heads));

describe('a chain that nobody bent', () => {
  test('has every ledger transaction and invoice once, in order, and is computed again', async () => {
    const account = await makeChain();
    const { entries, accountId } = account;
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, i) => i + 1));
    expect(entries.filter(({ kind }) => kind === 'invoice').map(({ recordId }) => recordId)).toContain(account.invoice);
    const kinds = entries.map(({ content }) => JSON.parse(content).record.kind);
    expect(kinds).toEqual([
      ...['opening', 'invoice_issued'],
      ...['opening', 'invoice_issued'],
      ...['payment_received', 'credit_granted'],
    ]);
    let previous = GENESIS_HASH;
    for (const { chainedAt, content, chainHash } of entries) {
      previous = chainHashOf(previous, chainedAt, content);
      expect(chainHash).toBe(previous);
    }
    expect(await verify(account)).toEqual({ accountId, entries: 6, erased: 0, bent: null });
  });

  test('stays whole by what may change: a payment, a void, a refund', async () => {
    const account = await makeChain();
    const { api } = account;
    const [open] = await invoicesOf(api, 'customer_id=beta');
    expect((await api.post(`/api/invoices/${open?.invoice_id}/void`)).status).toBe(200);
    const refund = { invoice_id: account.invoice, amount: 3, method: 'store_credit' };
    expect((await api.post('/api/refunds', refund)).status).toBe(201);
    await entriesOf(account);
    expect(await verify(account)).toMatchObject({ entries: 8, bent: null });
  });

  test('is one chain whoever writes and chains at once, and what follows from a record comes after it', async () => {
    const account = await newAccount();
    const { api } = account;
    const plan_id = await makePlan(api, { charge_timing: 'in_advance' });
    const bill = async (i: number) => {
      const customer_id = await makeCustomer(api, `c${i}`);
      await subscribe(api, { customer_id, plan_id });
      const [invoice] = await invoicesOf(api, `customer_id=${customer_id}`);
      expect((await api.post(`/api/invoices/${invoice?.invoice_id}/mark_paid`, { reference: 'x' })).status).toBe(200);
      await entriesOf(account);
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => bill(i)));
    const entries = await entriesOf(account);
    expect(await verify(account)).toMatchObject({ entries: 24, bent: null });
    const placeOf = (invoice: string, kind: string) =>
      entries.findIndex(({ content }) => content.includes(invoice) && content.includes(`"kind":"${kind}"`));
    for (const { recordId } of entries.filter(({ kind }) => kind === 'invoice')) {
      const places = [
        placeOf(recordId, 'opening'),
        placeOf(recordId, 'invoice_issued'),
        placeOf(recordId, 'payment_received'),
      ];
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(places[0]).toBeGreaterThanOrEqual(0);
    }
  });

  test('an account without records has nothing to be bent', async () => {
    expect(await verify(await newAccount())).toMatchObject({ entries: 0, bent: null });
  });
});

const CHANGED: [what: string, sql: string, fields: object[]][] = [
  [
    "an amount of an invoice's line",
    'UPDATE invoice_lines SET amount = 9 WHERE account_id = $A AND invoice_id = $I',
    [{ field: 'lines.0.amount', stored: '9', chained: '29' }],
  ],
  [
    'total, tax and date of an invoice',
    "UPDATE invoices SET total = 29, tax_amount = 0, tax_rate = 0, due_date = '2099-01-01' WHERE account_id = $A AND invoice_id = $I",
    [
      { field: 'due_date', stored: '"2099-01-01"' },
      { field: 'tax_amount', stored: '0', chained: '5.51' },
      { field: 'tax_rate', stored: '0', chained: '19' },
      { field: 'total', stored: '29', chained: '34.51' },
    ],
  ],
  [
    'a line more',
    `INSERT INTO invoice_lines (account_id, invoice_id, ordinal, line_id, type, description, amount)
     SELECT account_id, invoice_id, 7, 'line_forged', type, description, -1 FROM invoice_lines WHERE account_id = $A AND invoice_id = $I`,
    expect.arrayContaining([{ field: 'lines.1.amount', stored: '-1', chained: null }]) as object[],
  ],
  ['a line less', 'DELETE FROM invoice_lines WHERE account_id = $A AND invoice_id = $I', expect.anything() as object[]],
  [
    'the name on an invoice',
    "UPDATE invoices SET customer_name = 'Other' WHERE account_id = $A AND invoice_id = $I",
    [{ field: 'personal' }],
  ],
  [
    'the name on an invoice, as if it were erased',
    "UPDATE invoices SET customer_name = '', billing_address = NULL WHERE account_id = $A AND invoice_id = $I",
    [{ field: 'personal' }],
  ],
  [
    'the salt alone',
    'UPDATE chain_entries SET salt = NULL WHERE account_id = $A AND record_id = $I',
    [{ field: 'personal' }],
  ],
];

test.each(CHANGED)('changed: %s', async (_what, sql, fields) => {
  const account = await makeChain();
  await bend(account, sql);
  const { bent } = await verify(account);
  expect(bent).toMatchObject({
    found: 'record_changed',
    sequence: 1,
    kind: 'invoice',
    recordId: account.invoice,
    fields,
  });
});

test('changed: a ledger transaction, which sums to zero all the same, or whose entries have changed places', async () => {
  const account = await makeChain();
  const of = `account_id = $A AND ledger_transaction_id = '${account.entries[4]?.recordId}'`;
  const first = { found: 'record_changed', sequence: 5, kind: 'ledger_transaction' };
  await bend(account, `UPDATE ledger_entries SET amount = amount * 2 WHERE ${of}`);
  const doubled = { field: 'entries.0.amount', stored: '69.02', chained: '34.51' };
  expect((await verify(account)).bent).toMatchObject({ ...first, fields: [doubled, { field: 'entries.1.amount' }] });
  await bend(account, `UPDATE ledger_entries SET amount = amount / 2, ordinal = 5 - ordinal WHERE ${of}`);
  const [changed] = (await verify(account)).bent?.fields ?? [];
  expect(changed).toMatchObject({ field: 'entries.0.amount', stored: '-34.51', chained: '34.51' });
});

const SECOND = '(SELECT record_id FROM chain_entries WHERE account_id = $A AND sequence = 2)';

const OTHERWISE: [what: string, sql: string, bent: object][] = [
  [
    'a record deleted',
    // With its entries: rows that refer to nothing would fail the restore of a backup, which copies this stack.
    `DELETE FROM ledger_entries WHERE account_id = $A AND ledger_transaction_id = ${SECOND};
     DELETE FROM ledger_transactions WHERE account_id = $A AND ledger_transaction_id = ${SECOND}`,
    { found: 'record_missing', sequence: 2, kind: 'ledger_transaction' },
  ],
  [
    'a record deleted before it was chained',
    "DELETE FROM chain_queue WHERE account_id = $A; INSERT INTO chain_queue (account_id, record_id, kind) VALUES ($A, 'inv_gone', 'invoice')",
    { found: 'record_missing', sequence: 7, recordId: 'inv_gone', fields: [] },
  ],
  [
    'a record put there past the chain',
    `INSERT INTO ledger_transactions (account_id, ledger_transaction_id, customer_id, kind, currency, at)
     VALUES ($A, 'ltx_forged', 'acme', 'payment_received', 'USD', now())`,
    { found: 'record_not_chained', sequence: null, kind: 'ledger_transaction', recordId: 'ltx_forged' },
  ],
  [
    'a record put there under the id of one that is chained, of another kind',
    `INSERT INTO ledger_transactions (account_id, ledger_transaction_id, customer_id, kind, currency, at)
     VALUES ($A, $I, 'acme', 'payment_received', 'USD', now())`,
    { found: 'record_not_chained', kind: 'ledger_transaction' },
  ],
  [
    "an entry's content",
    "UPDATE chain_entries SET content = replace(content, '34.51', '29') WHERE account_id = $A AND sequence = 2",
    { found: 'entry_changed', sequence: 2 },
  ],
  [
    "an entry's time",
    "UPDATE chain_entries SET chained_at = chained_at - interval '1 day' WHERE account_id = $A AND sequence = 4",
    { found: 'entry_changed', sequence: 4 },
  ],
  [
    'an entry deleted',
    'DELETE FROM chain_entries WHERE account_id = $A AND sequence = 3',
    { found: 'entry_missing', sequence: 3 },
  ],
  [
    'the last entries deleted',
    'DELETE FROM chain_entries WHERE account_id = $A AND sequence > 4',
    { found: 'record_not_chained' },
  ],
  [
    'the chain deleted',
    'DELETE FROM chain_entries WHERE account_id = $A',
    { found: 'record_not_chained', kind: 'invoice' },
  ],
  [
    'entries that have changed places',
    `UPDATE chain_entries SET sequence = 100 - sequence WHERE account_id = $A AND sequence IN (2, 4);
     UPDATE chain_entries SET sequence = sequence - 94 WHERE account_id = $A AND sequence > 90`,
    { found: 'entry_changed', sequence: 2 },
  ],
];

test.each(OTHERWISE)('bent: %s', async (_what, sql, bent) => {
  const account = await makeChain();
  await bend(account, sql);
  await entriesOf(account);
  expect((await verify(account)).bent).toMatchObject(bent);
});

test('what was there before the chain is chained, from wherever a crash has ended it', async () => {
  const account = await makeChain();
  const last = account.entries.at(-1)?.recordId;
  await bend(
    account,
    `DELETE FROM chain_entries WHERE account_id = $A AND sequence > 2;
     INSERT INTO chain_queue (account_id, record_id, kind) VALUES ($A, '${last}', 'ledger_transaction')`,
  );
  await withPostgres((postgres) => postgres.query('CALL fill_chain_queue(1000)'));
  const chained = (await entriesOf(account)).map(({ recordId }) => recordId);
  expect(chained.slice(0, 2)).toEqual(account.entries.slice(0, 2).map(({ recordId }) => recordId));
  expect(chained.toSorted()).toEqual(account.entries.map(({ recordId }) => recordId).toSorted());
  expect(await verify(account)).toMatchObject({ entries: 6, bent: null });
});

describe('erasure', () => {
  test('a deleted customer leaves its invoices, and the chain whole', async () => {
    const account = await makeChain();
    expect((await account.api.post('/api/customers/acme/delete/')).status).toBe(204);
    await entriesOf(account);
    expect(await verify(account)).toMatchObject({ entries: 6, erased: 0, bent: null });
  });

  test('name and address of an invoice go with their salt: the chain is whole, and says how many have gone', async () => {
    const account = await makeChain();
    await bend(
      account,
      `UPDATE chain_entries SET salt = NULL WHERE account_id = $A AND record_id = $I;
       UPDATE invoices SET customer_name = '', billing_address = NULL WHERE account_id = $A AND invoice_id = $I`,
    );
    expect(await verify(account)).toMatchObject({ entries: 6, erased: 1, bent: null });
    const { content = '' } = account.entries[0] ?? {};
    for (const word of ['Acme', 'Main Street', 'Berlin']) expect(content).not.toContain(word);
  });
});

describe('a chain that was computed anew behind a bent row', () => {
  /** As somebody would who knows how it is done: the row, its content, and every hash from there on. */
  async function rewrite(account: Chained) {
    await bend(account, "UPDATE invoices SET due_date = '2099-01-01' WHERE account_id = $A AND invoice_id = $I");
    let previous = GENESIS_HASH;
    for (const { sequence, chainedAt, content } of account.entries) {
      const forged = content.replace(/"due_date":"[-\d]+"/, sequence === 1 ? '"due_date":"2099-01-01"' : '$&');
      previous = chainHashOf(previous, chainedAt, forged);
      const values = `content = '${forged}', chain_hash = '${previous}'`;
      await bend(account, `UPDATE chain_entries SET ${values} WHERE account_id = $A AND sequence = ${sequence}`);
    }
  }

  const published = ({ accountId, entries }: Pick<Chained, 'accountId' | 'entries'>, ...sequences: number[]) =>
    sequences.map((sequence): PublishedHead => {
      const chainHash = entries[sequence - 1]?.chainHash ?? 'f'.repeat(64);
      return { accountId, sequence, chainHash, publishedAt: 0 };
    });

  test('is whole by itself, and betrayed by a head that was published before', async () => {
    const account = await makeChain();
    expect(await verify(account, published(account, 3, 6))).toMatchObject({ bent: null });
    await rewrite(account);
    expect(await verify(account)).toMatchObject({ bent: null });
    const chained = account.entries[2]?.chainHash;
    const bent = { found: 'head_changed', sequence: 3, fields: [{ field: 'chain_hash', chained }] };
    expect(await verify(account, published(account, 6, 3))).toMatchObject({ bent });
  });

  test('is betrayed by the heads that the records keep, where these were forgotten', async () => {
    const account = await makeChain();
    const { sequence, chainHash, chainedAt } = account.entries[4] as ChainEntry;
    const head = `$A, ${sequence}, '${chainHash}', '${isoFromInstant(chainedAt)}', now()`;
    await bend(account, `INSERT INTO chain_heads VALUES (${head})`);
    expect(await verify(account)).toMatchObject({ bent: null });
    await rewrite(account);
    expect(await verify(account)).toMatchObject({ bent: { found: 'head_changed', sequence } });
  });

  test('a head of an account that is gone tells of it, and so does its chain', async () => {
    const [gone, left] = [{ accountId: newId('acct'), entries: [] }, { accountId: newId('acct') }];
    const bent = new Map<string, unknown>();
    async function* kept() {
      yield* published(gone, 3);
    }
    await bend(left, "INSERT INTO chain_entries VALUES ($A, 1, 'invoice', 'inv_gone', '{}', NULL, now(), 'hash')");
    const cancelled = new AbortController().signal;
    await withPostgres(async (postgres) => {
      for await (const one of verifyChains({ postgres, heads: kept(), cancelled })) bent.set(one.accountId, one.bent);
    });
    await bend(left, 'DELETE FROM chain_entries WHERE account_id = $A');
    expect(bent.get(gone.accountId)).toMatchObject({ found: 'head_missing', sequence: 3 });
    expect(bent.get(left.accountId)).toMatchObject({ found: 'entry_changed', sequence: 1 });
  });

  test('a head beyond the end tells of entries that are gone, as after a restore of an earlier time', async () => {
    const account = await makeChain();
    expect((await verify(account, published(account, 6, 9))).bent).toMatchObject({
      found: 'head_missing',
      sequence: 9,
    });
  });
});
