import { beforeEach, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { stack } from '../../stack/api.ts';
import { type BilledCustomer, makeBilledCustomer } from '../../stack/billed-customer.ts';

let account: TestAccount;
let billed: BilledCustomer;
let id: string;

beforeEach(async () => {
  account = await newAccount();
  const customer = { customer_name: '株式会社サンプル', timezone: 'Asia/Tokyo' };
  billed = await makeBilledCustomer(account.api, { customer });
  id = String(billed.invoices[0]?.invoice_id);
});

async function pdfOf(invoice: string, key = account.key) {
  const answer = await fetch(new URL(`/api/invoices/${invoice}/pdf`, stack().base_url), {
    headers: { 'X-API-KEY': key },
  });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe('GET /api/invoices/<id>/pdf', () => {
  test('is a PDF, the same bytes each time, also when account and customer have changed since', async () => {
    const first = await pdfOf(id);
    expect(first.answer.status).toBe(200);
    expect(first.answer.headers.get('content-type')).toBe('application/pdf');
    expect(first.answer.headers.get('content-disposition')).toBe('inline; filename="INV-000001.pdf"');
    expect(first.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(first.bytes.subarray(-6).toString()).toBe('%%EOF\n');
    const change = { customer_name: 'Other', timezone: 'UTC', billing_address: { city: 'Bern' } };
    expect((await account.api.patch(`/api/customers/${billed.customerId}/`, change)).status).toBe(200);
    expect((await account.api.patch('/api/account', { name: 'Renamed' })).status).toBe(200);
    expect((await pdfOf(id)).bytes.equals(first.bytes)).toBe(true);
    expect((await pdfOf('INV-000001')).bytes.equals(first.bytes)).toBe(true);

    expect((await account.api.post(`/api/invoices/${id}/mark_paid`)).status).toBe(200);
    const paid = await pdfOf(id);
    expect(paid.bytes.equals(first.bytes)).toBe(false);
    expect((await pdfOf(id)).bytes.equals(paid.bytes)).toBe(true);
  });

  test('is rendered once: what is kept is served, byte for byte, until a payment changes the invoice', async () => {
    const key = [account.accountId, id];
    await Promise.all(Array.from({ length: 4 }, () => pdfOf(id)));
    const mark = Buffer.from('%PDF- as it was kept');
    await withPostgres((postgres) =>
      postgres.query('UPDATE invoice_documents SET pdf = $3 WHERE account_id = $1 AND invoice_id = $2', [...key, mark]),
    );
    expect((await pdfOf(id)).bytes.equals(mark)).toBe(true);
    expect((await account.api.post(`/api/invoices/${id}/mark_paid`)).status).toBe(200);
    expect((await pdfOf(id)).bytes.subarray(-6).toString()).toBe('%%EOF\n');
  });

  test('is kept no longer once the customer is deleted, and the invoice still has one', async () => {
    const before = await pdfOf(id);
    expect((await account.api.post(`/api/customers/${billed.customerId}/delete/`)).status).toBe(204);
    const kept = async () => {
      const sql = 'SELECT 1 FROM invoice_documents WHERE account_id = $1';
      return (await withPostgres((postgres) => postgres.query(sql, [account.accountId]))).rowCount;
    };
    expect(await kept()).toBe(0);
    expect((await pdfOf(id)).bytes.equals(before.bytes)).toBe(true);
    expect(await kept()).toBe(0);
  });

  test('an unknown invoice, and another account, is 404', async () => {
    expect((await pdfOf('inv_none')).answer.status).toBe(404);
    expect((await pdfOf(id, (await newAccount()).key)).answer.status).toBe(404);
  });
});
