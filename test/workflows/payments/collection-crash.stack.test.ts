import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ConnectedProcessor } from '../../../outbound/processors/connections.ts';
import { createStripe } from '../../../outbound/processors/stripe.ts';
import { collectDue } from '../../../services/payments/collect-invoice.ts';
import { updatePaymentMethod } from '../../../sql/postgres/customers/customers.ts';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import type { ActivityDependencies } from '../../../workflows/activities/dependencies.ts';
import { collectionWorkflowId } from '../../../workflows/workflow-ids.ts';
import type { Card } from '../../processors/stripe-server.ts';
import { FIRST_DAY } from '../../stack/billed-customer.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { withoutWorkflow } from '../../stack/held-workflow.ts';
import { connectedAccount, fakeStripe, newPayer } from '../../stack/processors.ts';
import { connectActivities, setClock } from '../activity-fixture.ts';

/** The collection is run by hand: a worker that dies around its order to the processor, and what a processor refuses. */

const DAY_MS = 86_400_000;
const ISSUED = Date.parse(FIRST_DAY) + 30 * DAY_MS;
const stripe = fakeStripe();
const settings = { clientId: 'ca', secretKey: 'sk', webhookSecret: 'whsec' };

let account: Awaited<ReturnType<typeof connectedAccount>>;
let dependencies: ActivityDependencies;
let connected: ConnectedProcessor;
let close: () => Promise<void>;

beforeAll(async () => {
  account = await connectedAccount();
  // Due five days after the issue: nobody but the test collects.
  expect((await account.api.patch('/api/account', { net_terms_days: 5 })).status).toBe(200);
  const processor = createStripe({ ...settings, apiBase: inject('stripeUrl') });
  connected = { processor, grant: await processor.exchangeCode('ac_crash') };
  const fixture = await connectActivities();
  dependencies = { ...fixture.dependencies, connections: { find: async () => connected } };
  close = fixture.close;
});
afterAll(() => close());

const died = new Error('the worker has died');

/** Where the worker dies, and what happens until it is back. */
const deaths: [string, (charge: () => Promise<unknown>) => Promise<never>, () => Promise<void>][] = [
  ['before its order has left', () => Promise.reject(died), async () => {}],
  ['with the money taken', (charge) => charge().then(() => Promise.reject(died)), async () => {}],
  [
    'D2: with the money taken, and its key expires',
    (charge) => charge().then(() => Promise.reject(died)),
    async () => stripe.forgetKeys(),
  ],
];

/** An invoice that is due and to be paid by this card. */
async function dueInvoice(card: Card) {
  // Without a card at the issue, so that no workflow of the stack's own begins to collect it.
  const { payer, fields } = await newPayer(null);
  const clock = await makeClock(account.api, FIRST_DAY);
  await makeCustomer(account.api, payer, { test_clock_id: clock, ...fields });
  await subscribe(account.api, { customer_id: payer, plan_id: await makePlan(account.api) });
  await advance(account.api, clock, new Date(ISSUED).toISOString());
  const [invoice] = await invoicesOf(account.api, `customer_id=${payer}`);
  const ref = { accountId: account.accountId, invoiceId: String(invoice?.invoice_id) };
  await stripe.setCard(payer, card);
  await inTransaction(dependencies.postgres, ref.accountId, (tx) =>
    updatePaymentMethod(tx, ref.accountId, payer, true),
  );
  await setClock(dependencies, ref.accountId, clock, ISSUED + 5 * DAY_MS);
  return { payer, clock, ref };
}

test.each(deaths)('a worker dies %s: one charge, and the invoice is paid', async (_, dying, meanwhile) => {
  const { payer, ref } = await dueInvoice('good');
  const { processor, grant } = connected;
  const charge: typeof processor.charge = (granted, order) => dying(() => processor.charge(granted, order));
  const connections = { find: async () => ({ processor: { ...processor, charge }, grant }) };
  // Nor does a sweep, which finds the attempt that the dead worker has left.
  await withoutWorkflow(collectionWorkflowId(ref), async () => {
    await expect(collectDue({ ...dependencies, connections }, ref)).rejects.toBe(died);
    await meanwhile();
    expect(await collectDue(dependencies, ref)).toMatchObject({ status: 'paid', next: null });
    expect(await stripe.chargesOf(payer)).toHaveLength(1);
    expect(await collectDue(dependencies, ref)).toMatchObject({ status: 'paid', next: null });
    expect(await stripe.chargesOf(payer)).toHaveLength(1);
  });
});

test('an attempt that the processor does not take back is asked for again after a pause, not at once', async () => {
  const { payer, clock, ref } = await dueInvoice('needs_3ds');
  await withoutWorkflow(collectionWorkflowId(ref), async () => {
    expect(await collectDue(dependencies, ref)).toMatchObject({ next: { kind: 'recall' } });
    const intent = await stripe.intentOf(payer);
    await stripe.keep(intent.id);
    await setClock(dependencies, ref.accountId, clock, ISSUED + 6 * DAY_MS);
    await expect(collectDue(dependencies, ref)).rejects.toMatchObject({ code: 'unavailable' });
    // Its payer acts after all.
    await stripe.settle(intent.id, 'succeeded');
    expect(await collectDue(dependencies, ref)).toMatchObject({ status: 'paid', next: null });
    expect(await stripe.chargesOf(payer)).toHaveLength(1);
  });
});
