import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chargesOf, createLedger, type LedgerCharge, type LedgerRefund, type ProcessorLedger } from './ledger.ts';
import { KEPT_MS, type Remote, serveRemote } from './remote.ts';
import {
  bodyOf,
  type EventOptions,
  type Form,
  found,
  invalid,
  list,
  metadataOf,
  missing,
  type Reply,
  signedEvent,
} from './stripe-wire.ts';
import { Unanswered } from './unanswered.ts';

/**
 * A Stripe for tests: as much of its HTTP API as the official SDK needs, with its own ledger of charges. What a card does is
 * in its payment method's id; what the network does is set per payer with {@link FakeStripe.trouble}.
 */
export type FakeStripe = {
  url: string;
  ledger: ProcessorLedger;
  settings: { clientId: string; secretKey: string; webhookSecret: string };
  /** What happens to the next requests that create a payment intent of a payer. */
  trouble(payer: string, ...troubles: Trouble[]): void;
  /** A payer with one card; `card` as in {@link CARDS}. Null: no payment method. */
  addPayer(payer: string, card: Card | null): void;
  /** Replaces the payer's card. */
  setCard(payer: string, card: Card | null): void;
  /** The money it took of a payer, and gave back of a charge. */
  chargesOf(payer: string): LedgerCharge[];
  refundsOf(chargeReference: string): LedgerRefund[];
  /** The requests that asked to create a payment intent, by payer. */
  ordersOf(payer: string): number;
  /** A processing or waiting intent gets its end, as from the bank or the customer. */
  settle(reference: string, how: 'succeeded' | 'failed'): void;
  /** An intent cannot be canceled any more, whatever its status. */
  keep(reference: string): void;
  /** The newest intent of a payer. */
  intentOf(payer: string): Intent;
  /** Leaves requests for an account unanswered until `unmute`, which returns the largest number that were open at once. */
  mute(externalAccountId: string): void;
  unmute(externalAccountId: string): number;
  unanswered(externalAccountId: string): number;
  revoke(externalAccountId: string): void;
  isRevoked(externalAccountId: string): boolean;
  /** The payer cannot be read (500), until it is shown again. */
  hidePayer(payer: string): void;
  showPayer(payer: string): void;
  /** Its idempotency keys expire. */
  forgetKeys(): void;
  settleRefund(reference: string, status: 'succeeded' | 'failed'): void;
  refundOf(chargeReference: string): FakeRefund | undefined;
  /** An event as Stripe sends it: raw body and signature header. */
  event(type: string, object: object, options?: EventOptions): { body: string; headers: Record<string, string> };
  stop(): Promise<void>;
};

/** Cards by what they do. */
export type Card = 'good' | 'declined' | 'needs_3ds' | 'slow';
/**
 * `lose`: the charge is made, the connection ends before the answer; `lose_and_forget`: and its idempotency key expires.
 * `hang`: the charge is made and never answered. Numbers: that status, and nothing is done.
 */
export type Trouble = 'lose' | 'lose_and_forget' | 'hang' | 429 | 500;

export type Intent = {
  id: string;
  object: 'payment_intent';
  status: string;
  amount: number;
  currency: string;
  customer: string;
  metadata: Record<string, string>;
  last_payment_error: { code: string; decline_code?: string; message: string } | null;
  cancellation_reason: string | null;
};
export type FakeRefund = {
  id: string;
  object: 'refund';
  status: string;
  amount: number;
  payment_intent: string;
  metadata: Record<string, string>;
};

/** Refunds of amounts that end in 7 stay pending until an event. */
const PENDING_REFUND_ENDING = 7;

/** The fake as tests in another process drive it. */
export type RemoteFakeStripe = Remote<FakeStripe>;

/** What every fake knows its caller by. */
export const STRIPE_TEST_SETTINGS = {
  clientId: 'ca_test',
  secretKey: 'sk_test_platform',
  webhookSecret: 'whsec_stripe_test',
};

/** The variables by which a stack speaks to the fake. */
export function stripeEnvironment({ url, settings }: Pick<FakeStripe, 'url' | 'settings'>): Record<string, string> {
  return {
    STRIPE_API_BASE: url,
    STRIPE_CLIENT_ID: settings.clientId,
    STRIPE_SECRET_KEY: settings.secretKey,
    STRIPE_WEBHOOK_SECRET: settings.webhookSecret,
  };
}

export async function startFakeStripe(ledger = createLedger()): Promise<FakeStripe> {
  const settings = STRIPE_TEST_SETTINGS;
  const world = {
    payers: new Map<string, Card | null>(),
    intents: new Map<string, Intent>(),
    refunds: new Map<string, FakeRefund>(),
    replies: new Map<string, { params: string; reply: Reply }>(),
    tokens: new Map<string, string>(),
    revoked: new Set<string>(),
    hidden: new Set<string>(),
    kept: new Set<string>(),
    troubles: new Map<string, Trouble[]>(),
    orders: new Map<string, number>(),
    unanswered: new Unanswered(),
  };
  const id = (prefix: string) => `${prefix}_${randomBytes(9).toString('hex')}`;

  function take(intent: Intent) {
    intent.status = 'succeeded';
    const attemptId = intent.metadata.meterbook_attempt_id ?? null;
    const { id: reference, customer: payer, amount, currency } = intent;
    ledger.charges.push({ provider: 'stripe', reference, payer, amount, currency, attemptId });
  }

  function refuse(intent: Intent, code: string, message: string): Reply {
    intent.status = 'requires_payment_method';
    intent.last_payment_error = {
      code,
      ...(code === 'card_declined' && { decline_code: 'insufficient_funds' }),
      message,
    };
    return {
      status: 402,
      body: { error: { type: 'card_error', ...intent.last_payment_error, payment_intent: intent } },
    };
  }

  function createIntent(form: Form): Reply {
    const payer = form.customer ?? '';
    const card = world.payers.get(payer);
    if (!card || form.payment_method !== `pm_${card}_${payer}`) return missing('payment_method');
    const intent: Intent = {
      id: id('pi'),
      object: 'payment_intent',
      status: 'requires_confirmation',
      amount: Number(form.amount),
      currency: form.currency ?? '',
      customer: payer,
      metadata: metadataOf(form),
      last_payment_error: null,
      cancellation_reason: null,
    };
    world.intents.set(intent.id, intent);
    if (card === 'declined') return refuse(intent, 'card_declined', 'Your card has insufficient funds.');
    if (card === 'needs_3ds') return refuse(intent, 'authentication_required', 'This payment needs authentication.');
    if (card === 'slow') intent.status = 'processing';
    else take(intent);
    return { status: 200, body: intent };
  }

  function createRefund(form: Form): Reply {
    const intent = world.intents.get(form.payment_intent ?? '');
    if (intent?.status !== 'succeeded') return missing('payment_intent');
    const before = [...world.refunds.values()].filter(
      (one) => one.payment_intent === intent.id && one.status !== 'failed',
    );
    const amount = Number(form.amount);
    if (before.reduce((total, one) => total + one.amount, 0) + amount > intent.amount) {
      return invalid('charge_already_refunded', 'The refund is more than is left of the charge.');
    }
    const status = amount % 10 === PENDING_REFUND_ENDING ? 'pending' : 'succeeded';
    const refund: FakeRefund = {
      id: id('re'),
      object: 'refund',
      status,
      amount,
      payment_intent: intent.id,
      metadata: metadataOf(form),
    };
    world.refunds.set(refund.id, refund);
    ledger.refunds.push({ provider: 'stripe', reference: refund.id, chargeReference: intent.id, amount });
    return { status: 200, body: refund };
  }

  function customer(payer: string): Reply {
    if (world.hidden.has(payer)) return { status: 500, body: { error: { type: 'api_error', message: 'Trouble.' } } };
    const card = world.payers.get(payer);
    if (card === undefined) return missing('customer');
    const method = card === null ? null : `pm_${card}_${payer}`;
    const body = { id: payer, object: 'customer', invoice_settings: { default_payment_method: method } };
    return { status: 200, body };
  }

  function cancel(intent: Intent | undefined): Reply {
    if (!intent) return missing('payment_intent');
    if (intent.status === 'succeeded' || intent.status === 'processing' || world.kept.has(intent.id)) {
      return invalid('payment_intent_unexpected_state', `The intent is ${intent.status}.`);
    }
    intent.status = 'canceled';
    return { status: 200, body: intent };
  }

  function oauth(path: string, form: Form): Reply {
    if (path === '/oauth/deauthorize') {
      world.revoked.add(form.stripe_user_id ?? '');
      return { status: 200, body: { stripe_user_id: form.stripe_user_id } };
    }
    // A code names the account that it grants.
    const code = form.code ?? '';
    if (!code.startsWith('ac_')) {
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Authorization code does not exist' } };
    }
    const account = `acct_${code.slice(3)}`;
    const token = `sk_acct_${id('token')}`;
    world.tokens.set(token, account);
    const granted = { access_token: token, refresh_token: id('rt'), stripe_user_id: account, scope: 'read_write' };
    return { status: 200, body: { ...granted, token_type: 'bearer', livemode: false } };
  }

  function answer(method: string, path: string, form: Form): Reply {
    if (path.startsWith('/oauth/')) return oauth(path, form);
    const [, , resource, one = '', action] = path.split('/');
    if (resource === 'account')
      return { status: 200, body: { object: 'account', business_profile: { name: 'Acme & <Sons>' } } };
    if (resource === 'customers' && action === 'payment_methods') return list([]);
    if (resource === 'customers') return customer(one);
    if (resource === 'payment_intents' && one === 'search') {
      const wanted = /^metadata\['(\w+)'\]:'(\w+)'$/.exec(form.query ?? '');
      return list([...world.intents.values()].filter(({ metadata }) => metadata[wanted?.[1] ?? ''] === wanted?.[2]));
    }
    if (resource === 'payment_intents' && action === 'cancel') return cancel(world.intents.get(one));
    if (resource === 'payment_intents' && method === 'POST') return createIntent(form);
    if (resource === 'payment_intents') return found(world.intents.get(one));
    if (resource === 'refunds' && method === 'POST') return createRefund(form);
    if (resource === 'refunds' && one !== '') return found(world.refunds.get(one));
    if (resource === 'refunds') {
      return list([...world.refunds.values()].filter((refund) => refund.payment_intent === form.payment_intent));
    }
    return invalid('unknown_path', `${method} ${path} is not faked`);
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', 'http://fake');
    const method = request.method ?? 'GET';
    const form = Object.fromEntries(new URLSearchParams(method === 'GET' ? url.search : await bodyOf(request)));
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    const account = world.tokens.get(token);
    const send = ({ status, body }: Reply) => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': id('req') });
      response.end(JSON.stringify(body));
    };
    if (!url.pathname.startsWith('/oauth/') && (account === undefined || world.revoked.has(account))) {
      return send({ status: 401, body: { error: { type: 'invalid_request_error', message: 'Invalid API Key.' } } });
    }
    if (world.unanswered.takes(account ?? '', response)) return;
    const isOrder = url.pathname === '/v1/payment_intents' && method === 'POST';
    const payer = form.customer ?? '';
    if (isOrder) world.orders.set(payer, (world.orders.get(payer) ?? 0) + 1);
    const trouble = isOrder ? world.troubles.get(payer)?.shift() : undefined;
    if (typeof trouble === 'number') {
      return send({ status: trouble, body: { error: { type: 'api_error', message: 'Trouble.' } } });
    }
    const reply = once(request, `${method} ${url.pathname}`, form, () => answer(method, url.pathname, form));
    if (trouble === 'lose_and_forget') world.replies.clear();
    if (trouble === 'hang') return;
    if (trouble !== undefined) return void request.socket.destroy();
    send(reply);
  }

  /** The idempotency store: the same key and parameters get the first answer again. */
  function once(request: IncomingMessage, what: string, form: Form, work: () => Reply): Reply {
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string') return work();
    const params = `${what} ${JSON.stringify(form)}`;
    const known = world.replies.get(key);
    if (known && known.params !== params) {
      return { status: 400, body: { error: { type: 'idempotency_error', message: 'Other parameters.' } } };
    }
    // As it was then: a canceled intent does not change what its creation answered.
    const reply = known?.reply ?? structuredClone(work());
    world.replies.set(key, { params, reply });
    return structuredClone(reply);
  }

  const server = createServer({ keepAliveTimeout: KEPT_MS }, (request, response) => {
    if (!serveRemote(fake, request, response)) void serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const fake: FakeStripe = {
    url: `http://127.0.0.1:${port}`,
    ledger,
    settings,
    trouble: (payer, ...troubles) => void world.troubles.set(payer, troubles),
    addPayer: (payer, card) => void world.payers.set(payer, card),
    setCard: (payer, card) => void world.payers.set(payer, card),
    chargesOf: (payer) => chargesOf(ledger, payer),
    refundsOf: (reference) => ledger.refunds.filter(({ chargeReference }) => chargeReference === reference),
    ordersOf: (payer) => world.orders.get(payer) ?? 0,
    settle: (reference, how) => {
      const intent = world.intents.get(reference);
      if (!intent) throw new Error(`no intent ${reference}`);
      if (how === 'succeeded') take(intent);
      else refuse(intent, 'card_declined', 'The bank refused.');
    },
    keep: (reference) => void world.kept.add(reference),
    intentOf: (payer) => {
      const intent = [...world.intents.values()].findLast((one) => one.customer === payer);
      if (!intent) throw new Error(`${payer} has no intent`);
      return intent;
    },
    isRevoked: (account) => world.revoked.has(account),
    mute: (account) => world.unanswered.mute(account),
    unmute: (account) => world.unanswered.unmute(account),
    unanswered: (account) => world.unanswered.open(account),
    revoke: (account) => void world.revoked.add(account),
    hidePayer: (payer) => void world.hidden.add(payer),
    showPayer: (payer) => void world.hidden.delete(payer),
    forgetKeys: () => world.replies.clear(),
    settleRefund: (reference, status) => {
      const refund = world.refunds.get(reference);
      if (!refund) throw new Error(`no refund ${reference}`);
      refund.status = status;
    },
    refundOf: (charge) => [...world.refunds.values()].findLast((one) => one.payment_intent === charge),
    event: (type, object, options = {}) => signedEvent(settings.webhookSecret, id('evt'), type, object, options),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return fake;
}
