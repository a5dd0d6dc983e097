import { beforeAll, expect, inject, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { createProcessors } from '../../../outbound/processors/configured.ts';
import { createConnections } from '../../../outbound/processors/connections.ts';
import { createSecretCipher } from '../../../runtime/cipher.ts';
import { grantStore, upsertConnection } from '../../../sql/postgres/payments/processor-connections.ts';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import type { Card } from '../../processors/braintree-server.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { stack } from '../../stack/api.ts';
import { FIRST_DAY } from '../../stack/billed-customer.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { patientPool } from '../../stack/own-database.ts';
import { connect, fakeBraintree, sendHook } from '../../stack/processors.ts';
import { advance } from '../in-process-clock.ts';

/** Collection through the fake Braintree, which has no idempotency keys; its own ledger says what was really charged. */
const braintree = fakeBraintree();
const DUE = new Date(Date.parse(FIRST_DAY) + 30.5 * 86_400_000).toISOString();
const merchant = newId('acct').replaceAll('_', '');
let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
  await connect(account, merchant, 'braintree');
});

/** A subscriber on a test clock who pays 29 at the end of the first period by this card. */
async function subscriber(card: Card) {
  const payer = newId('req').replaceAll('_', '');
  await braintree.addPayer(payer, card);
  const clock = await makeClock(account.api, FIRST_DAY);
  const fields = { test_clock_id: clock, payment_provider: 'braintree', payment_provider_id: payer };
  await makeCustomer(account.api, payer, fields);
  await subscribe(account.api, { customer_id: payer, plan_id: await makePlan(account.api) });
  return { payer, clock };
}

const firstInvoice = async (payer: string) => (await invoicesOf(account.api, `customer_id=${payer}`))[0];

test('D10: the sale is made and the answer lost: one charge, and the invoice is paid; then refunded to the card', async () => {
  const { payer, clock } = await subscriber('good');
  await braintree.trouble(payer, 'lose');
  await advance(account.api, clock, DUE);
  const invoice = await firstInvoice(payer);
  expect(invoice).toMatchObject({ status: 'paid', amount_paid: '29', payments: [{ method: 'braintree' }] });
  expect(await braintree.chargesOf(payer)).toMatchObject([{ amount: 2900, currency: 'USD' }]);
  const refund = await account.api.post('/api/refunds', { invoice_id: invoice?.invoice_id, amount: 9 });
  expect(refund.body).toMatchObject({ method: 'original_payment' });
  const path = `/api/refunds/${refund.body.refund_id}`;
  const settled = await eventually(
    async () => (await account.api.get(path)).body,
    ({ status }) => String(status) !== 'pending',
  );
  expect(settled).toMatchObject({ status: 'succeeded', amount: 9 });
});

test('a bank pays days later: paid when Braintree says so, told once more it changes nothing', async () => {
  const { payer, clock } = await subscriber('bank');
  await advance(account.api, clock, DUE);
  expect(await firstInvoice(payer)).toMatchObject({ status: 'open', amount_paid: '0' });
  const id = await braintree.newestSaleOf(payer);
  await braintree.settle(id, 'settled');
  const transaction = { id, type: 'sale', 'order-id': '', status: 'settled' };
  const body = await braintree.notification('transaction_settled', { transaction }, { merchantId: merchant });
  const event = { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  expect([await sendHook(event, 'braintree'), await sendHook(event, 'braintree')]).toEqual([200, 200]);
  await eventually(
    () => firstInvoice(payer),
    (invoice) => String(invoice?.status) === 'paid',
  );
  expect(await braintree.chargesOf(payer)).toHaveLength(1);
});

test('a grant that grows old is renewed once, by one of many; who still holds the old one is told to ask again', async () => {
  const settings = {
    braintree: {
      ...{ apiBase: inject('braintreeUrl'), clientId: 'client_id$development$test' },
      ...{ secretKey: 'client_secret$development$test', webhookSecret: 'public_test:private_test' },
    },
  };
  const { accountId } = await newAccount();
  const postgres = patientPool(stack().postgres_url);
  try {
    const cipher = createSecretCipher(() => [{ keyId: 'k1', key: Buffer.alloc(32, 7) }]);
    const store = grantStore(postgres, cipher);
    const processors = createProcessors(() => settings);
    let now = Date.now();
    const connections = createConnections(processors, store, { now: () => now });
    const processor = await processors.get('braintree');
    const given = await processor?.exchangeCode(`bt_code_${newId('acct').replaceAll('_', '')}`);
    if (!given) throw new Error('no grant');
    const grant = { ...given, expiresAt: now + 13 * 3_600_000 };
    const connection = { accountId, provider: 'braintree', grant, connectedAt: now };
    await inTransaction(postgres, accountId, (tx) => upsertConnection(tx, cipher, connection));
    const before = await connections.find(accountId, 'braintree');
    expect(before?.grant.accessToken).toBe(grant.accessToken);

    // Old now; one that is renewed lives for 24 hours of the fake's time, which is real.
    now += 2 * 3_600_000;
    const many = await Promise.all(Array.from({ length: 6 }, () => connections.find(accountId, 'braintree')));
    const tokens = new Set(many.map((one) => one?.grant.accessToken));
    tokens.delete(grant.accessToken);
    expect(tokens.size).toBe(1);
    await expect(before?.processor.findPaymentMethod(grant, 'nobody')).rejects.toMatchObject({ failure: 'away' });
    const after = await connections.find(accountId, 'braintree');
    expect(await after?.processor.findPaymentMethod(after.grant, 'nobody')).toBeNull();
  } finally {
    await postgres.end();
  }
});

test('renewals that the processor does not answer leave Postgres to everybody else', async () => {
  const postgres = patientPool(stack().postgres_url);
  const answer = Promise.withResolvers<void>();
  try {
    const cipher = createSecretCipher(() => [{ keyId: 'k1', key: Buffer.alloc(32, 7) }]);
    const store = grantStore(postgres, cipher);
    const owners = await Promise.all(Array.from({ length: 6 }, () => newAccount()));
    for (const { accountId } of owners) {
      const grant = { externalAccountId: accountId, accessToken: 'a', refreshToken: 'r', expiresAt: 0 };
      const connection = { accountId, provider: 'braintree', grant, connectedAt: 0 };
      await inTransaction(postgres, accountId, (tx) => upsertConnection(tx, cipher, connection));
    }
    const asked = owners.map(({ accountId }) =>
      store.renew(accountId, 'braintree', async (grant) => {
        await answer.promise;
        return grant;
      }),
    );
    // The first four wait for the processor; the others go on with the grant they have.
    expect(await Promise.all(asked.slice(4))).toEqual([undefined, undefined]);
    answer.resolve();
    expect((await Promise.all(asked)).map((grant) => grant?.accessToken)).toEqual([
      'a',
      'a',
      'a',
      'a',
      undefined,
      undefined,
    ]);
  } finally {
    answer.resolve();
    await postgres.end();
  }
});
