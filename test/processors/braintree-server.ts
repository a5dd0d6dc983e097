import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { collectionXml, type Node, xml } from './braintree-xml.ts';
import { chargesOf, createLedger, type LedgerCharge, type ProcessorLedger } from './ledger.ts';
import { KEPT_MS, serveRemote } from './remote.ts';

/**
 * A Braintree for tests: as much of its HTTP API as the official SDK needs (JSON in, XML out), with its own ledger of charges.
 * It has no idempotency keys, as the real one has none.
 */
export type FakeBraintree = {
  url: string;
  ledger: ProcessorLedger;
  settings: { clientId: string; secretKey: string; webhookSecret: string };
  /** What happens to the next sales of a payer. */
  trouble(payer: string, ...troubles: Trouble[]): void;
  /** A payer with one payment method; null: none on file. */
  addPayer(payer: string, card: Card | null): void;
  /** The money it took of a payer. */
  chargesOf(payer: string): LedgerCharge[];
  /** The requests that asked for a sale. */
  ordersOf(payer: string): number;
  /** Gives the transaction another status, as the night's settlement does. */
  settle(reference: string, status: 'settled' | 'settlement_declined'): void;
  /** The id of the payer's newest sale. */
  newestSaleOf(payer: string): string;
  revoke(merchantId: string): void;
  isRevoked(merchantId: string): boolean;
  /** A notification as Braintree posts it: a form with its signature. */
  notification(kind: string, subject: Record<string, Node>, options?: { merchantId?: string; secret?: string }): string;
  stop(): Promise<void>;
};

/** Payment methods by what they do; `bank`: is submitted, and settles days later. `unsettled`: a card, settled by {@link FakeBraintree.settle}. */
export type Card = 'good' | 'declined' | 'needs_3ds' | 'bank' | 'unsettled' | 'expired';
/** `lose`: the sale is made, the connection ends before the answer. Numbers: that status, and nothing is done. */
export type Trouble = 'lose' | 429 | 500;

type FakeTransaction = {
  id: string;
  type: 'sale' | 'credit';
  status: string;
  amount: string;
  currencyIsoCode: string;
  orderId: string;
  payer: string;
  instrument: string;
  responseCode: string;
  responseText: string;
  rejection: string | null;
  refundedId: string | null;
};

type Reply = { status: number; body: string };

const MERCHANT_ACCOUNTS = [
  { id: 'usd', 'currency-iso-code': 'USD', status: 'active', default: true },
  { id: 'jpy', 'currency-iso-code': 'JPY', status: 'active', default: false },
  { id: 'kwd', 'currency-iso-code': 'KWD', status: 'active', default: false },
  { id: 'eur', 'currency-iso-code': 'EUR', status: 'suspended', default: false },
];

/** The variables by which a stack speaks to the fake. */
export function braintreeEnvironment({
  url,
  settings,
}: Pick<FakeBraintree, 'url' | 'settings'>): Record<string, string> {
  return {
    BRAINTREE_API_BASE: url,
    BRAINTREE_CLIENT_ID: settings.clientId,
    BRAINTREE_SECRET_KEY: settings.secretKey,
    BRAINTREE_WEBHOOK_SECRET: settings.webhookSecret,
  };
}

export async function startFakeBraintree(ledger = createLedger()): Promise<FakeBraintree> {
  const settings = {
    clientId: 'client_id$development$test',
    secretKey: 'client_secret$development$test',
    webhookSecret: 'public_test:private_test',
  };
  const payers = new Map<string, Card | null>();
  const transactions = new Map<string, FakeTransaction>();
  const tokens = new Set<string>();
  const refreshTokens = new Set<string>();
  const revoked = new Set<string>();
  const troubles = new Map<string, Trouble[]>();
  const orders = new Map<string, number>();
  const newId = () => randomBytes(5).toString('hex');

  function take(made: FakeTransaction) {
    const { id: reference, payer, amount, currencyIsoCode: currency, orderId: attemptId } = made;
    ledger.charges.push({ provider: 'braintree', reference, payer, amount: minorOf(amount), currency, attemptId });
  }

  function sale(asked: Record<string, string>): Reply {
    const [payer = '', card] = payerOfToken(asked.payment_method_token ?? '');
    const account = MERCHANT_ACCOUNTS.find(({ id }) => id === asked.merchant_account_id);
    if (card === undefined || !account) return refusal('Payment method token is invalid.', '91518');
    const made: FakeTransaction = {
      ...{ id: newId(), type: 'sale', status: 'settled', payer, orderId: asked.order_id ?? '' },
      ...{ amount: asked.amount ?? '', currencyIsoCode: account['currency-iso-code'] },
      ...{ instrument: card === 'bank' ? 'us_bank_account' : 'credit_card', rejection: null, refundedId: null },
      ...{ responseCode: '1000', responseText: 'Approved' },
    };
    transactions.set(made.id, made);
    if (card === 'declined' || card === 'needs_3ds') {
      made.status = 'processor_declined';
      made.responseCode = card === 'declined' ? '2001' : '2099';
      made.responseText = card === 'declined' ? 'Insufficient Funds' : 'Cardholder Authentication Required';
      return refusal(made.responseText, null, made);
    }
    if (card === 'bank' || card === 'unsettled') made.status = 'submitted_for_settlement';
    if (card !== 'bank') take(made);
    return { status: 201, body: transactionXml(made) };
  }

  function refund(one: FakeTransaction | undefined, asked: Record<string, string>): Reply {
    if (!one) return notFound();
    if (one.status !== 'settled') return refusal('Cannot refund transaction unless it is settled.', '91506');
    const before = [...transactions.values()].filter(({ refundedId }) => refundedId === one.id);
    const left = minorOf(one.amount) - before.reduce((total, { amount }) => total + minorOf(amount), 0);
    const amount = asked.amount ?? one.amount;
    if (minorOf(amount) > left) return refusal('Refund amount is too large.', '91521');
    const made: FakeTransaction = {
      ...one,
      id: newId(),
      type: 'credit',
      amount,
      orderId: asked.order_id ?? '',
      refundedId: one.id,
    };
    transactions.set(made.id, made);
    ledger.refunds.push({
      provider: 'braintree',
      reference: made.id,
      chargeReference: one.id,
      amount: minorOf(amount),
    });
    return { status: 201, body: transactionXml(made) };
  }

  function voided(one: FakeTransaction | undefined): Reply {
    if (!one) return notFound();
    if (one.status === 'settled') return refusal('Transaction can only be voided if not settled.', '91504');
    one.status = 'voided';
    return { status: 200, body: transactionXml(one) };
  }

  /** A code names the merchant that it grants. Renewing a grant ends the one before it, as at the real one. */
  function grant(asked: Record<string, string>): Reply {
    const given = asked.grant_type === 'refresh_token' ? asked.refresh_token : asked.code;
    const isKnown =
      asked.grant_type === 'refresh_token' ? refreshTokens.delete(given ?? '') : given?.startsWith('bt_code_');
    if (!isKnown || !given) return refusal('Invalid grant', '93801');
    const merchant = given.split('_').at(-1) ?? '';
    for (const token of tokens) if (token.includes(`$${merchant}$`)) tokens.delete(token);
    const access = `access_token$development$${merchant}$${newId()}`;
    const refresh = `refresh_${newId()}_${merchant}`;
    tokens.add(access);
    refreshTokens.add(refresh);
    const expires = new Date(Date.now() + 24 * 3_600_000).toISOString();
    const credentials = {
      'access-token': access,
      'refresh-token': refresh,
      'expires-at': expires,
      'token-type': 'bearer',
    };
    return { status: 201, body: xml('credentials', credentials) };
  }

  function customer(payer: string): Reply {
    const card = payers.get(payer);
    if (card === undefined) return notFound();
    const cards = card === null ? [] : [{ token: tokenOf(payer), default: true, expired: card === 'expired' }];
    return { status: 200, body: xml('customer', { id: payer, 'credit-cards': cards }) };
  }

  const tokenOf = (payer: string) => `card_${payer}`;
  function payerOfToken(token: string): [string, Card] | [] {
    const payer = token.replace(/^card_/, '');
    const card = payers.get(payer);
    return card ? [payer, card] : [];
  }

  function answer(method: string, path: string, body: Body): Reply {
    if (path === '/oauth/access_tokens') return grant(body as Record<string, string>);
    if (path === '/oauth/revoke_access_token') {
      revoked.add(String(body.token).split('$')[2] ?? '');
      return { status: 200, body: xml('result', { success: true }) };
    }
    const [, , , resource, one = '', action] = path.split('/');
    if (resource === 'customers') return customer(one);
    if (resource === 'merchant_accounts') {
      const page = {
        pageSize: 50,
        totalItems: MERCHANT_ACCOUNTS.length,
        item: 'merchant-account',
        items: MERCHANT_ACCOUNTS,
      };
      return { status: 200, body: collectionXml('merchant-accounts', page) };
    }
    if (one === 'advanced_search_ids') {
      const ids = [...transactions.values()]
        .filter(({ orderId }) => orderId === body.search?.order_id?.is)
        .map(({ id }) => id);
      return { status: 200, body: xml('search-results', { 'page-size': 50, ids }) };
    }
    if (one === 'advanced_search') {
      const items = (body.search?.ids ?? []).flatMap((id) => transactions.get(id) ?? []).map(transactionNode);
      return {
        status: 200,
        body: collectionXml('credit-card-transactions', {
          pageSize: 50,
          totalItems: items.length,
          item: 'transaction',
          items,
        }),
      };
    }
    if (resource !== 'transactions') return notFound();
    if (one === '') return sale(body.transaction ?? {});
    if (action === 'void') return voided(transactions.get(one));
    if (action === 'refund') return refund(transactions.get(one), body.transaction ?? {});
    const known = method === 'GET' ? transactions.get(one) : undefined;
    return known ? { status: 200, body: transactionXml(known) } : notFound();
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const path = new URL(request.url ?? '/', 'http://fake').pathname;
    const sent = await text(request);
    const body = (sent === '' ? {} : JSON.parse(sent)) as Body;
    const send = ({ status, body: answered }: Reply) => {
      response.writeHead(status, { 'Content-Type': 'application/xml; charset=utf-8' });
      response.end(`<?xml version="1.0" encoding="UTF-8"?>${answered}`);
    };
    const bearer = (request.headers.authorization ?? '').replace('Bearer ', '');
    const isOurs = path.startsWith('/oauth/');
    if (!isOurs && (!tokens.has(bearer) || revoked.has(bearer.split('$')[2] ?? '')))
      return send({ status: 401, body: '' });
    const isSale = request.method === 'POST' && path.endsWith('/transactions');
    const [payer = ''] = payerOfToken(body.transaction?.payment_method_token ?? '');
    if (isSale) orders.set(payer, (orders.get(payer) ?? 0) + 1);
    const trouble = isSale ? troubles.get(payer)?.shift() : undefined;
    if (typeof trouble === 'number') return send({ status: trouble, body: '' });
    const reply = answer(request.method ?? 'GET', path, body);
    if (trouble === 'lose') return request.socket.destroy();
    send(reply);
  }

  const server = createServer({ keepAliveTimeout: KEPT_MS }, (request, response) => {
    if (!serveRemote(fake, request, response)) void serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeBraintree = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ledger,
    settings,
    trouble: (payer, ...more) => void troubles.set(payer, [...(troubles.get(payer) ?? []), ...more]),
    addPayer: (payer, card) => void payers.set(payer, card),
    chargesOf: (payer) => chargesOf(ledger, payer),
    ordersOf: (payer) => orders.get(payer) ?? 0,
    settle: (reference, status) => {
      const one = transactions.get(reference);
      if (!one) throw new Error(`no transaction ${reference}`);
      if (one.instrument === 'us_bank_account' && status === 'settled') take(one);
      one.status = status;
    },
    newestSaleOf: (payer) => {
      const sale = [...transactions.values()].findLast((one) => one.type === 'sale' && one.payer === payer);
      if (!sale) throw new Error(`${payer} has no sale`);
      return sale.id;
    },
    revoke: (merchantId) => void revoked.add(merchantId),
    isRevoked: (merchantId) => revoked.has(merchantId),
    notification: (kind, subject, { merchantId = 'm1', secret = settings.webhookSecret } = {}) => {
      const node = { kind, 'source-merchant-id': merchantId, timestamp: new Date().toISOString(), subject };
      return signedForm(xml('notification', node), secret);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

type Body = {
  transaction?: Record<string, string>;
  search?: { order_id?: { is: string }; ids?: string[] };
  token?: string;
};

/** `bt_signature` is the public key and an HMAC-SHA1 of the payload by the SHA-1 of the private one. */
function signedForm(document: string, secret: string): string {
  const [publicKey = '', privateKey = ''] = secret.split(':');
  const payload = `${Buffer.from(document).toString('base64')}\n`;
  const key = createHash('sha1').update(privateKey).digest();
  const signature = createHmac('sha1', key).update(payload).digest('hex');
  return new URLSearchParams({ bt_signature: `${publicKey}|${signature}`, bt_payload: payload }).toString();
}

function transactionNode(one: FakeTransaction): Node {
  return {
    ...{ id: one.id, type: one.type, status: one.status, amount: one.amount, 'order-id': one.orderId },
    'currency-iso-code': one.currencyIsoCode,
    'payment-instrument-type': one.instrument,
    'processor-response-code': one.responseCode,
    'processor-response-text': one.responseText,
    'gateway-rejection-reason': one.rejection,
    customer: { id: one.payer },
  };
}

function transactionXml(one: FakeTransaction): string {
  return xml('transaction', transactionNode(one));
}

function refusal(message: string, code: string | null, one?: FakeTransaction): Reply {
  const errors = { errors: [], transaction: { errors: code === null ? [] : [{ attribute: 'base', code, message }] } };
  return {
    status: 422,
    body: xml('api-error-response', { errors, message, ...(one && { transaction: transactionNode(one) }) }),
  };
}

function notFound(): Reply {
  return { status: 404, body: '' };
}

/** The ledger counts in the smallest unit, as many decimals as were sent. */
function minorOf(amount: string): number {
  return Number(amount.replace('.', ''));
}
