import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../core/ids.ts';
import { processorsFile } from '../../local/processors-file.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { type FakeStripe, startFakeStripe, stripeEnvironment } from '../../test/processors/stripe-server.ts';
import type { ApiCaller } from './api-caller.ts';
import { announce, type InvoiceOnScreen, tell } from './screen.ts';

type Provider = { provider: string; connected: boolean };

/** How often the invoice is looked at until its payment is there. */
const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 30_000;

/**
 * Connects a payment processor and has an invoice collected by it; answers how many invoices were. The processor is the tests' fake, which the stack knows only
 * while this runs; a stack that has a processor of its own is left alone.
 */
export async function collectThroughProcessor(api: ApiCaller): Promise<number> {
  announce('A payment processor collects');
  const { results } = await api<{ results: Provider[] }>('GET', '/api/payment-providers');
  if (results.some(({ connected }) => connected)) return leaveAlone();
  const stripe = await startFakeStripe();
  const file = processorsFile(loadLauncherConfig().dataDir);
  await writeFile(file, JSON.stringify(stripeEnvironment(stripe)), { mode: 0o600 });
  try {
    if (!(await connect(api, stripe.url))) return leaveAlone();
    await collect(api, stripe);
    await api('POST', '/api/payment-providers/stripe/disconnect');
    tell('Disconnected again.');
    return 1;
  } finally {
    await rm(file, { force: true });
    await stripe.stop();
  }
}

function leaveAlone(): number {
  tell('The stack has a payment processor of its own, which a demo does not charge.');
  return 0;
}

/** What the browser of the account's owner does; false where the stack would send it to a processor that is not ours. */
async function connect(api: ApiCaller, fakeUrl: string): Promise<boolean> {
  type Authorization = { authorization_url: string };
  const asked = { redirect_url: 'https://app.example/settings' };
  const { authorization_url } = await api<Authorization>('POST', '/api/payment-providers/stripe/connect', asked);
  if (!authorization_url.startsWith(fakeUrl)) return false;
  const granted = new URL(authorization_url).searchParams;
  const callback = new URL(granted.get('redirect_uri') ?? '');
  callback.searchParams.set('state', granted.get('state') ?? '');
  callback.searchParams.set('code', `ac_${newId('evt').slice(4)}`);
  const page = await (await fetch(callback, { redirect: 'manual' })).text();
  // The owner confirms on the page that names both accounts.
  const confirmation = / name="confirmation" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const back = await fetch(callback, {
    method: 'POST',
    body: new URLSearchParams({ confirmation }),
    redirect: 'manual',
  });
  tell(`Connected by OAuth; the owner is sent back to ${back.headers.get('location')}`);
  return true;
}

async function collect(api: ApiCaller, stripe: FakeStripe): Promise<void> {
  const payer = newId('evt').replace('evt_', 'cus_');
  stripe.addPayer(payer, 'good');
  const customer_id = payer.replace('cus_', 'demo-');
  const customer = await api<{ has_payment_method: boolean }>('POST', '/api/customers/', {
    customer_id,
    email: 'billing@acme.test',
    payment_provider: 'stripe',
    payment_provider_id: payer,
  });
  tell(`customer ${customer_id} has a payment method: ${customer.has_payment_method}`);
  const plan = { name: 'Team', recurring_fee: 49, billing_period: 'monthly', charge_timing: 'in_advance' };
  const { plan_id } = await api<{ plan_id: string }>('POST', '/api/plans', plan);
  await api('POST', '/api/subscriptions', { customer_id, plan_id });
  const invoice = await paidInvoice(api, customer_id);
  tell(`Invoice ${invoice.invoice_number} over ${invoice.total} is ${invoice.status}, ${invoice.amount_due} due`);
  for (const charge of stripe.chargesOf(payer)) {
    tell(`The processor's own ledger: ${charge.amount} ${charge.currency} for attempt ${charge.attemptId}`);
  }
}

async function paidInvoice(api: ApiCaller, customerId: string): Promise<InvoiceOnScreen> {
  type Invoices = { results: InvoiceOnScreen[] };
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
    const { results } = await api<Invoices>('GET', `/api/invoices?customer_id=${customerId}`);
    const [invoice] = results;
    if (invoice?.status === 'paid') return invoice;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error('the invoice was not collected; the Temporal UI shows why');
}
