import { describe, expect, test } from 'vitest';
import { newAccount, withPostgres } from '../../stack/accounts.ts';
import type { Api, Json } from '../../stack/api.ts';
import { balanceOf, eventsOf, ledgerOf, makeBilledCustomer, whileAdvancing } from '../../stack/billed-customer.ts';
import { invoicesOf } from '../../stack/clocks.ts';
import { advance } from '../../workflows/in-process-clock.ts';

const idOf = (invoice: Json | undefined) => String(invoice?.invoice_id);

async function giveCredit(api: Api, amount: number, more: object = {}): Promise<string> {
  const made = await api.post('/api/credits', { customer_id: 'acme', amount, ...more });
  expect(made.status, made.text).toBe(201);
  return String(made.body.credit_id);
}

/** Status and rest of each credit. */
async function expectCredits(api: Api, credits: string[], ...expected: [status: string, rest: string][]) {
  const records = await Promise.all(credits.map((id) => api.get(`/api/credits/${id}`)));
  expect(records.map(({ exact }) => [exact.status, exact.amount_remaining])).toEqual(expected);
}

describe('void', () => {
  test('an open invoice: its amounts stay, nothing of it is due, its credit is back', async () => {
    const { api } = await newAccount();
    let credit = '';
    const { invoices, now } = await makeBilledCustomer(api, {
      customer: { tax_rate: 10 },
      before: async () => {
        credit = await giveCredit(api, 30);
      },
    });
    const [before] = invoices;
    expect(before).toMatchObject({ status: 'open', total: '110', credits_applied: '30', amount_due: '80' });
    const voided = await api.post(`/api/invoices/${before?.invoice_number}/void`);
    expect(voided.status).toBe(200);
    expect(voided.exact).toEqual({ ...before, status: 'void', voided_at: now });
    expect((await api.get(`/api/invoices/${idOf(before)}`)).text).toBe(voided.text);
    expect((await api.get('/api/customers/acme/')).exact.total_amount_due).toBe('0');
    expect((await api.get(`/api/credits/${credit}`)).exact).toMatchObject({
      status: 'active',
      amount_remaining: '30',
      applications: [],
    });
    const events = await eventsOf(`invoice/${idOf(before)}`);
    expect(events.map(({ type }) => type)).toEqual(['invoice.created', 'invoice.voided']);
    expect(events[1]?.data).toBe(voided.text);

    const ledger = await ledgerOf(api, 'acme');
    expect(ledger.map(({ kind }) => kind)).toEqual([
      'credit_granted',
      'invoice_issued',
      'credit_applied',
      'invoice_voided',
      'credit_restored',
    ]);
    for (const name of ['accounts_receivable', 'revenue', 'tax_payable']) expect(balanceOf(ledger, name)).toBe('0');
    expect(balanceOf(ledger, 'customer_credits')).toBe('-30');
    expect(ledger.at(-1)).toMatchObject({ at: now, invoice_id: idOf(before), credit_id: credit, refund_id: null });
  });

  // "an expired one gets its amount back and stays expired, a voided one stays at 0" (spec/invoices#states)
  test('of the credits it used, one has expired since: it gets its amount back, and is not used again', async () => {
    const { api } = await newAccount();
    const credits: string[] = [];
    const { invoices, clockId } = await makeBilledCustomer(api, {
      before: async () => {
        credits.push(await giveCredit(api, 10, { expires_at: '2026-04-02' }));
        credits.push(await giveCredit(api, 20, { expires_at: '2026-12-31' }));
        credits.push(await giveCredit(api, 60));
        credits.push(await giveCredit(api, 5));
      },
    });
    expect(invoices[0]).toMatchObject({ credits_applied: '95', amount_due: '5' });
    await api.post(`/api/invoices/${idOf(invoices[0])}/void`);
    await advance(api, clockId, '2026-05-01T00:00:00.000Z');
    const again = (await invoicesOf(api, 'customer_id=acme'))[1];
    expect(again).toMatchObject({ credits_applied: '85', amount_due: '15' });
    await expectCredits(api, credits, ['expired', '10'], ['consumed', '0'], ['consumed', '0'], ['consumed', '0']);
    expect((await api.post(`/api/invoices/${idOf(again)}/void`)).status).toBe(200);
    await expectCredits(api, credits, ['expired', '10'], ['active', '20'], ['active', '60'], ['active', '5']);
  });

  test('a voided credit stays at 0: what it would get back is gone with it', async () => {
    const { api } = await newAccount();
    let credit = '';
    const { invoices } = await makeBilledCustomer(api, {
      before: async () => {
        credit = await giveCredit(api, 40);
      },
    });
    // No call voids a credit that is used up; the rule holds for whatever made it so.
    await withPostgres((postgres) =>
      postgres.query('UPDATE credits SET voided_at = now() WHERE credit_id = $1', [credit]),
    );
    expect((await api.post(`/api/invoices/${idOf(invoices[0])}/void`)).status).toBe(200);
    await expectCredits(api, [credit], ['voided', '0']);
    const ledger = await ledgerOf(api, 'acme');
    expect(balanceOf(ledger, 'customer_credits')).toBe('0');
    expect(balanceOf(ledger, 'accounts_receivable')).toBe('0');
    expect(ledger.map(({ kind }) => kind).slice(-3)).toEqual(['invoice_voided', 'credit_restored', 'credit_voided']);
  });

  test('one that is uncollectible can be voided, one that is paid or void cannot', async () => {
    const { api } = await newAccount();
    const { invoices } = await makeBilledCustomer(api, { periods: 2 });
    const [first, second] = invoices.map(idOf);
    await api.post(`/api/invoices/${first}/mark_uncollectible`);
    expect((await api.post(`/api/invoices/${first}/void`)).body).toMatchObject({ status: 'void' });
    await api.post(`/api/invoices/${second}/mark_paid`);
    for (const [id, status] of [
      [first, 'void'],
      [second, 'paid'],
    ]) {
      for (const [path, action] of [
        ['void', 'voided'],
        ['mark_uncollectible', 'marked uncollectible'],
        ['mark_paid', 'paid'],
        ['pay', 'paid'],
      ]) {
        const refused = await api.post(`/api/invoices/${id}/${path}`);
        expect(refused.status).toBe(409);
        expect(refused.body.detail).toBe(`The invoice is ${status} and cannot be ${action}.`);
      }
    }
  });

  test('the same Idempotency-Key voids once and answers the same', async () => {
    const { api } = await newAccount();
    const { invoices } = await makeBilledCustomer(api);
    const call = () => api.post(`/api/invoices/${idOf(invoices[0])}/void`, {}, { 'Idempotency-Key': 'once' });
    const [first, second] = [await call(), await call()];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await ledgerOf(api, 'acme')).filter(({ kind }) => String(kind) === 'invoice_voided')).toHaveLength(1);
  });
});

describe('mark_uncollectible', () => {
  test('it stays due, is not past due, and can still be paid', async () => {
    const { api } = await newAccount();
    const { invoices } = await makeBilledCustomer(api);
    const id = idOf(invoices[0]);
    const marked = await api.post(`/api/invoices/${id}/mark_uncollectible`);
    expect(marked.status).toBe(200);
    expect(marked.exact).toEqual({ ...invoices[0], status: 'uncollectible', past_due: false });
    expect((await api.get(`/api/invoices/${id}`)).text).toBe(marked.text);
    expect((await api.get('/api/customers/acme/')).exact.total_amount_due).toBe('100');
    expect((await api.post(`/api/invoices/${id}/mark_uncollectible`)).status).toBe(409);
    expect((await api.post(`/api/invoices/${id}/mark_paid`)).exact).toMatchObject({ status: 'paid', amount_due: '0' });
  });
});

// spec/payments#processors: "not configured: connect, and `/pay` without a processor, are 409"
test('pay is refused where no processor is configured, and changes nothing', async () => {
  const { api } = await newAccount();
  const { invoices } = await makeBilledCustomer(api);
  const refused = await api.post(`/api/invoices/${idOf(invoices[0])}/pay`);
  expect(refused.status).toBe(409);
  expect(refused.body.detail).toContain('no payment processor is configured');
  expect((await api.get(`/api/invoices/${idOf(invoices[0])}`)).exact).toEqual(invoices[0]);
});

test("another account's invoice does not exist, and is not touched", async () => {
  const [{ api }, stranger] = [await newAccount(), await newAccount()];
  const { invoices } = await makeBilledCustomer(api);
  for (const action of ['void', 'pay', 'mark_uncollectible']) {
    const answer = await stranger.api.post(`/api/invoices/${idOf(invoices[0])}/${action}`);
    expect([action, answer.status]).toEqual([action, 404]);
  }
  expect((await api.get(`/api/invoices/${idOf(invoices[0])}`)).exact).toEqual(invoices[0]);
});

test('while the clock of its customer advances, an invoice does not change', async () => {
  const account = await newAccount();
  const { api } = account;
  const { invoices, clockId } = await makeBilledCustomer(api);
  await whileAdvancing(account, clockId, async () => {
    for (const action of ['void', 'mark_uncollectible']) {
      const refused = await api.post(`/api/invoices/${idOf(invoices[0])}/${action}`);
      expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('is advancing')]);
    }
  });
  expect((await api.get(`/api/invoices/${idOf(invoices[0])}`)).exact).toEqual(invoices[0]);
});
