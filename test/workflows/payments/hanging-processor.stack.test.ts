import { expect, test } from 'vitest';
import { atMost } from '../../../runtime/at-most.ts';
import { howMany } from '../../how-many.ts';
import { stack } from '../../stack/api.ts';
import { eventually, invoicesOf, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { connectedAccount, fakeStripe, newPayer } from '../../stack/processors.ts';

/** Payments of an account that a worker has under way (operations/fair-shares.md). */
const OF_ONE = 32;
const COLLECTIONS = howMany(48, 500);

const stripe = fakeStripe();
const statusOf = ([invoice]: { status?: unknown }[]) => String(invoice?.status);

/** The parties at the share of payments, by the metrics of the stack. */
async function partiesAtShare(): Promise<string[]> {
  const metrics = await (await fetch(new URL('/metrics', stack().base_url))).text();
  const lines = metrics.match(/^meterbook_share_(?:held_back|full)\{.*share="payment_slots".*$/gm) ?? [];
  return lines.flatMap((line) => /party="([^"]+)"/.exec(line)?.[1] ?? []);
}

test('an account whose processor never answers holds its share of the slots for payments; others are paid, and nothing is lost', async () => {
  const [hanging, other] = await Promise.all([connectedAccount(), connectedAccount()]);
  const { payer, fields } = await newPayer('good');
  const plan_id = await makePlan(hanging.api, { charge_timing: 'in_advance' });
  const call = atMost(10);
  const debtors = Array.from({ length: COLLECTIONS }, (_, i) => `hangs_${i}`);
  await Promise.all(debtors.map((id) => call(() => makeCustomer(hanging.api, id, fields))));
  await stripe.mute(hanging.externalAccountId);
  await Promise.all(debtors.map((customer_id) => call(() => subscribe(hanging.api, { customer_id, plan_id }))));
  await eventually(
    () => stripe.unanswered(hanging.externalAccountId),
    (unanswered) => unanswered === OF_ONE,
  );
  await eventually(partiesAtShare, (parties) => parties.includes(hanging.accountId));

  const one = await newPayer('good');
  const customer_id = await makeCustomer(other.api, 'pays', one.fields);
  const inAdvance = await makePlan(other.api, { charge_timing: 'in_advance' });
  await subscribe(other.api, { customer_id, plan_id: inAdvance });
  await eventually(
    () => invoicesOf(other.api, ''),
    (invoices) => statusOf(invoices) === 'paid',
  );
  expect(await partiesAtShare()).not.toContain(other.accountId);

  expect(await stripe.unmute(hanging.externalAccountId)).toBe(OF_ONE);
  await eventually(
    () => hanging.api.get('/api/invoices?status=paid&page_size=1'),
    ({ body }) => String(body.count) === String(COLLECTIONS),
  );
  expect(await stripe.chargesOf(payer)).toHaveLength(COLLECTIONS);
});
