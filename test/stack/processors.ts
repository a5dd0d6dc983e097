import { expect, inject } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { FakeBraintree } from '../processors/braintree-server.ts';
import { type Remote, remoteFake } from '../processors/remote.ts';
import type { Card, FakeStripe } from '../processors/stripe-server.ts';
import { newAccount, type TestAccount } from './accounts.ts';
import { type Answer, stack } from './api.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stripeUrl: string;
    braintreeUrl: string;
  }
}

/** The fake Stripe that the stack speaks to. */
export function fakeStripe(): Remote<FakeStripe> {
  return remoteFake(inject('stripeUrl'));
}

/** The fake Braintree that the stack speaks to. */
export function fakeBraintree(): Remote<FakeBraintree> {
  return remoteFake(inject('braintreeUrl'));
}

/** An account that is connected to the fake, as `acct_<externalName>`. */
export async function connectedAccount(options: { mode?: 'test' | 'live'; currency?: string } = {}) {
  const account = await newAccount(options);
  const externalName = newId('acct').replaceAll('_', '');
  await connect(account, externalName);
  return { ...account, externalAccountId: `acct_${externalName}` };
}

/** How codes of the fakes begin; the rest names the account that they grant. */
const CODES = { stripe: 'ac_', braintree: 'bt_code_' };

/** Goes through the whole authorization, as the owner's browser does. */
export async function connect(
  account: TestAccount,
  externalName: string,
  provider: keyof typeof CODES = 'stripe',
): Promise<string> {
  const begun = await account.api.post(`/api/payment-providers/${provider}/connect`, {
    redirect_url: 'https://app.test/done',
  });
  expect(begun.status, begun.text).toBe(200);
  const asked = new URL(String(begun.body.authorization_url)).searchParams;
  const redirectUri = String(asked.get('redirect_uri'));
  const code = `${CODES[provider]}${externalName}`;
  const page = await callBack(redirectUri, { state: asked.get('state'), code });
  const back = await decide(redirectUri, { confirmation: await confirmationOf(page) });
  expect(back.headers.get('location')).toBe(`https://app.test/done?connected=${provider}`);
  return String(asked.get('state'));
}

/** The browser comes back from the processor. */
export function callBack(redirectUri: string, query: Record<string, string | null>): Promise<Response> {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value);
  return fetch(url, { redirect: 'manual' });
}

/** What the form of the page carries that asks the owner to confirm. */
export async function confirmationOf(page: Response): Promise<string> {
  const text = await page.text();
  const confirmation = / name="confirmation" value="([^"]+)"/.exec(text)?.[1];
  if (confirmation === undefined) throw new Error(`${page.status} is no page to confirm: ${text}`);
  return confirmation;
}

/** The owner presses a button of that page. */
export function decide(
  redirectUri: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(redirectUri, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' });
}

/** A new payer at the fake and the fields by which a customer is that payer. */
export async function newPayer(card: Card | null = 'good') {
  const payer = newId('req').replace('req', 'cus');
  await fakeStripe().addPayer(payer, card);
  return { payer, fields: { payment_provider: 'stripe', payment_provider_id: payer } };
}

/** Sends an event to the hook of a stack. */
export async function sendHook(
  event: { body: string; headers: Record<string, string> },
  provider: keyof typeof CODES = 'stripe',
  at = stack(),
): Promise<Answer['status']> {
  const hook = new URL(`/hooks/${provider}`, at.base_url);
  const response = await fetch(hook, { method: 'POST', body: event.body, headers: event.headers });
  await response.arrayBuffer();
  return response.status;
}
