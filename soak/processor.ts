import type { Pool } from '../sql/postgres/postgres.ts';
import type { Dice } from '../test/billing/simulator/dice.ts';
import {
  type Card,
  type FakeStripe,
  startFakeStripe,
  stripeEnvironment,
  type Trouble,
} from '../test/processors/stripe-server.ts';
import type { Caller } from './caller.ts';

const CARDS: Card[] = ['good', 'good', 'good', 'declined', 'needs_3ds'];
const TROUBLES: Trouble[] = ['lose', 'lose', 'lose_and_forget', 429, 500];
const SHOWN = 5;

/** The payment processor of the soak's customers: the tests' fake Stripe, whose own ledger says what was really paid. */
export type SoakProcessor = {
  /** The variables by which the stack speaks to it. */
  environment: Record<string, string>;
  /** Connects the account, as its owner's browser would. */
  connect(call: Caller): Promise<void>;
  /** Gives a payer another card, and perhaps trouble on the way to its next charge. */
  deal(payer: string, dice: Dice): void;
  /** Where the records and its ledger differ, once nothing is under way. */
  breaches(postgres: Pool): Promise<string[]>;
  charges(): number;
  stop(): Promise<void>;
};

export async function startProcessor(): Promise<SoakProcessor> {
  const stripe = await startFakeStripe();
  return {
    environment: stripeEnvironment(stripe),
    connect: (call) => connect(call),
    deal: (payer, dice) => {
      stripe.setCard(payer, dice.pick(CARDS));
      stripe.trouble(payer, ...(dice.chance(0.5) ? [dice.pick(TROUBLES)] : []));
    },
    breaches: (postgres) => findDifferences(stripe, postgres),
    charges: () => stripe.ledger.charges.length,
    stop: stripe.stop,
  };
}

async function connect(call: Caller): Promise<void> {
  const redirect_url = 'https://soak.test/done';
  const begun = await call('POST', '/api/payment-providers/stripe/connect', { redirect_url });
  const asked = new URL(String(begun.body.authorization_url)).searchParams;
  const back = new URL(asked.get('redirect_uri') ?? '');
  back.searchParams.set('state', asked.get('state') ?? '');
  back.searchParams.set('code', 'ac_soak');
  const page = await (await fetch(back, { redirect: 'manual' })).text();
  const confirmation = / name="confirmation" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const answer = await fetch(back, { method: 'POST', body: new URLSearchParams({ confirmation }), redirect: 'manual' });
  const location = answer.headers.get('location');
  if (!location?.includes('connected=stripe')) throw new Error(`not connected: ${answer.status} ${location}`);
}

/** What the records say was paid and refunded through the processor, and what of it they still wait for. */
const PAYMENTS = `SELECT payment_id AS id, trim_scale(amount * 100)::text AS minor FROM payments WHERE method = 'stripe'`;
const REFUNDS = `SELECT coalesce(processor_refund_id, refund_id) AS id, trim_scale(amount * 100)::text AS minor FROM refunds
  WHERE method = 'original_payment' AND status <> 'failed'`;
const UNSETTLED = `SELECT attempt_id, status FROM payment_attempts WHERE status IN ('created', 'processing', 'unknown')`;

async function findDifferences({ ledger }: FakeStripe, postgres: Pool): Promise<string[]> {
  const booked = async (sql: string) => {
    const { rows } = await postgres.query<{ id: string; minor: string }>(sql);
    return rows.map(({ id, minor }) => `${id} ${minor}`);
  };
  const charged = ledger.charges.map(({ attemptId, amount }) => `${attemptId} ${amount}`);
  const refunded = ledger.refunds.map(({ reference, amount }) => `${reference} ${amount}`);
  const { rows } = await postgres.query<{ attempt_id: string; status: string }>(UNSETTLED);
  return [
    ...difference('charges', charged, await booked(PAYMENTS)),
    ...difference('refunds', refunded, await booked(REFUNDS)),
    ...rows.map(({ attempt_id, status }) => `payment attempt ${attempt_id} is still ${status}`),
  ];
}

/** Each once on both sides: what was charged twice shows as well. */
function difference(what: string, processor: string[], records: string[]): string[] {
  const missing = (from: string[], other: string[]) => {
    const left = new Set(other);
    return from.filter((one) => !left.delete(one)).slice(0, SHOWN);
  };
  const [unrecorded, invented] = [missing(processor, records), missing(records, processor)];
  return [
    ...(unrecorded.length > 0
      ? [`${what} of the processor that the records do not have: ${unrecorded.join(', ')}`]
      : []),
    ...(invented.length > 0 ? [`${what} in the records that the processor did not make: ${invented.join(', ')}`] : []),
  ];
}
