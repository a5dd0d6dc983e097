import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { newAccount } from '../../stack/accounts.ts';
import type { Json } from '../../stack/api.ts';
import { eventually, invoicesOf, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { connect, connectedAccount, fakeStripe, newPayer, sendHook } from '../../stack/processors.ts';

/** What a processor knows of a customer (spec/payments#processors), for customers who live in real time. */

let account: Awaited<ReturnType<typeof connectedAccount>>;
const stripe = fakeStripe();

beforeEach(async () => {
  account = await connectedAccount();
});

const create = (customer_id: string, fields: object) =>
  account.api.post('/api/customers/', { customer_id, email: 'billing@acme.test', ...fields });

describe('has_payment_method', () => {
  test('is what the processor says, at create, at PATCH, and when an event tells', async () => {
    const [good, none] = [await newPayer('good'), await newPayer(null)];
    const made = await create(good.payer, good.fields);
    expect(made).toMatchObject({ status: 201, body: { has_payment_method: true, payment_provider: 'stripe' } });
    const path = `/api/customers/${good.payer}/`;
    expect((await account.api.patch(path, none.fields)).body.has_payment_method).toBe(false);
    await stripe.setCard(none.payer, 'good');
    const customer = { id: none.payer, object: 'customer' };
    // An event that does not say whose it is concerns those who know its payer.
    expect(await sendHook(await stripe.event('customer.updated', customer))).toBe(200);
    const load = async () => (await account.api.get(path)).body;
    await eventually(load, ({ has_payment_method }) => String(has_payment_method) === 'true');
    const gone = await account.api.patch(path, { payment_provider: null, payment_provider_id: null });
    expect(gone.body).toMatchObject({ has_payment_method: false, payment_provider: null });
  });

  test('is false for a payer that the processor does not know, and without a connection', async () => {
    const unknown = { payment_provider: 'stripe', payment_provider_id: 'cus_unknown' };
    expect((await create('stranger', unknown)).body.has_payment_method).toBe(false);
    const braintree = { payment_provider: 'braintree', payment_provider_id: 'x' };
    expect((await create('elsewhere', braintree)).body.has_payment_method).toBe(false);
  });

  test('is not known while the processor is away: the customer is saved all the same, and keeps what was known', async () => {
    const [hidden, good] = [await newPayer('good'), await newPayer('good')];
    await stripe.hidePayer(hidden.payer);
    expect(await create(hidden.payer, hidden.fields)).toMatchObject({
      status: 201,
      body: { has_payment_method: false },
    });
    await create(good.payer, good.fields);
    await stripe.hidePayer(good.payer);
    const kept = await account.api.patch(`/api/customers/${good.payer}/`, { customer_name: 'Acme' });
    expect(kept).toMatchObject({ status: 200, body: { customer_name: 'Acme', has_payment_method: true } });
  });
});

describe('in real time', () => {
  async function openingInvoice(customerId: string): Promise<() => Promise<Json>> {
    const plan_id = await makePlan(account.api, { charge_timing: 'in_advance' });
    await subscribe(account.api, { customer_id: customerId, plan_id });
    return async () => (await invoicesOf(account.api, `customer_id=${customerId}`))[0] ?? {};
  }

  test('an invoice that is due at once is collected without a call', async () => {
    const { payer, fields } = await newPayer('good');
    await makeCustomer(account.api, payer, fields);
    await eventually(await openingInvoice(payer), ({ status }) => String(status) === 'paid');
    expect(await stripe.chargesOf(payer)).toMatchObject([{ amount: 2900, currency: 'usd' }]);
  });

  test('so is one whose account connects the processor later on the same day', async () => {
    const shared = account;
    const late = await newAccount();
    const externalName = newId('acct').replaceAll('_', '');
    account = { ...late, externalAccountId: `acct_${externalName}` };
    try {
      const { payer, fields } = await newPayer('good');
      await makeCustomer(account.api, payer, fields);
      const load = await openingInvoice(payer);
      const { invoice_id, status } = await load();
      expect(status).toBe('open');
      const refused = await account.api.post(`/api/invoices/${invoice_id}/pay`);
      expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
      await connect(late, externalName);
      await eventually(load, (invoice) => String(invoice.status) === 'paid');
    } finally {
      account = shared;
    }
  });

  test('D4: twenty parallel calls beside the timer: one attempt', async () => {
    const { payer, fields } = await newPayer('good');
    await makeCustomer(account.api, payer, fields);
    const load = await openingInvoice(payer);
    const { invoice_id } = await load();
    const pay = () => account.api.post(`/api/invoices/${invoice_id}/pay`);
    const answers = await Promise.all([...Array(20).keys()].map(pay));
    // 503: the scheduler takes few calls of one invoice at a time.
    expect(answers.filter(({ status }) => ![200, 409, 503].includes(status))).toEqual([]);
    await eventually(load, ({ status }) => String(status) === 'paid');
    expect(await stripe.ordersOf(payer)).toBe(1);
    expect(await stripe.chargesOf(payer)).toHaveLength(1);
  });
});
