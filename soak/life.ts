import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../core/ids.ts';
import type { Dice } from '../test/billing/simulator/dice.ts';
import { type Caller, itemsOf, type Json } from './caller.ts';
import type { Catalog } from './catalog.ts';
import type { SoakProcessor } from './processor.ts';
import type { EventSender, SentEvents } from './sent-events.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'Europe/Berlin'];
const CLOCK_POLL_MS = 100;
/** An advance over a few periods takes seconds; while engines die it waits for them. */
const ADVANCE_GIVE_UP_MS = 180_000;

export type LifeTools = {
  dice: Dice;
  call: Caller;
  sender: EventSender;
  sent: SentEvents;
  catalog: Catalog;
  processor: SoakProcessor;
  signal: AbortSignal;
};

/** What became of a customer, for the checks at the end. */
export type Life = {
  customerId: string;
  /** Who pays at the processor; null for a customer who is collected from by hand. */
  payer: string | null;
  clockId: string;
  isDeleted: boolean;
  /** Every period's usage can be told from the events alone: nothing was paused, switched or waived. */
  isPlain: boolean;
  steps: string[];
};

type Living = LifeTools & { life: Life; now: number; subscriptionId: string; live: boolean };

/** One customer on a clock of its own, from its first subscription through random steps; the last closes what is open. */
export async function liveOnce(tools: LifeTools, lives: Life[]): Promise<void> {
  const { dice, call, signal } = tools;
  const now = Date.UTC(2026, dice.int(0, 11), dice.int(1, 28), dice.int(0, 23));
  const clock = await call('POST', '/api/test-clocks', { frozen_time: iso(now) });
  const life: Life = {
    customerId: newId('req').replace('req_', 'life-'),
    payer: dice.chance(0.5) ? newId('req').replace('req_', 'cus_') : null,
    clockId: String(clock.body.test_clock_id),
    isDeleted: false,
    isPlain: true,
    steps: [],
  };
  lives.push(life);
  if (life.payer) tools.processor.deal(life.payer, dice);
  await call('POST', '/api/customers/', {
    customer_id: life.customerId,
    email: 'life@soak.test',
    timezone: dice.pick(ZONES),
    tax_rate: dice.pick([0, 7.7, 19, 20]),
    test_clock_id: life.clockId,
    ...(life.payer && { payment_provider: 'stripe', payment_provider_id: life.payer }),
  });
  const self: Living = { ...tools, life, now, subscriptionId: '', live: false };
  await subscribe(self);
  const steps = dice.int(8, 25);
  for (let step = 0; step < steps && !signal.aborted && !life.isDeleted; step++) {
    const kind = dice.pick(WEIGHTED);
    life.steps.push(`${iso(self.now)} ${kind}`);
    await STEPS[kind](self);
  }
  if (life.isDeleted) return;
  // Twice past a period's end: what came late for the first is billed with the second.
  for (let round = 0; round < 2; round++) await advance(self, 31 * DAY_MS);
}

const STEPS = {
  track,
  trackLate,
  move,
  pause,
  cancel,
  changePlan,
  changeCard,
  grantCredit,
  settle,
  refund,
  addon,
  erase,
};
type StepName = keyof typeof STEPS;

/** How often each kind of step comes up; 1 where not named. */
const WEIGHTS: Partial<Record<StepName, number>> = {
  track: 6,
  trackLate: 2,
  move: 5,
  settle: 2,
  grantCredit: 2,
  changeCard: 2,
};
const WEIGHTED = (Object.keys(STEPS) as StepName[]).flatMap((kind) => Array<StepName>(WEIGHTS[kind] ?? 1).fill(kind));

async function subscribe(self: Living): Promise<void> {
  const plan = self.dice.pick(self.catalog.planIds);
  const made = await self.call('POST', '/api/subscriptions', { customer_id: self.life.customerId, plan_id: plan });
  if (made.status !== 201) throw new Error(`subscribe answered ${made.status}: ${made.text}`);
  self.subscriptionId = String(made.body.subscription_id);
  self.live = true;
}

/** Events of the last hours; one in ten is sent again afterwards with other contents, which must count for nothing. */
async function track(self: Living, agoMs = self.live ? HOUR_MS : 0): Promise<void> {
  const { dice, life } = self;
  const events = Array.from({ length: dice.int(1, 40) }, () => ({
    customerId: life.customerId,
    id: newId('req'),
    time: self.now - dice.int(0, agoMs),
    amount: dice.decimal(0, 9_999, 2),
    user: `u${dice.int(1, 9)}`,
  }));
  await Promise.all(
    events.map(async (event) => {
      await self.sender.send(event);
      self.sent.add(event);
      if (!dice.chance(0.1)) return;
      await self.sender.send({ ...event, amount: '77.77', user: 'nobody', time: event.time - 1 });
      self.sent.add(event);
    }),
  );
}

/** Some of these fall into a period that has been billed: its next invoice takes them. */
async function trackLate(self: Living): Promise<void> {
  if (self.live) await track(self, 3 * DAY_MS);
}

async function move(self: Living): Promise<void> {
  await advance(self, self.dice.pick([HOUR_MS, DAY_MS, 9 * DAY_MS, 31 * DAY_MS, 70 * DAY_MS]));
}

async function pause(self: Living): Promise<void> {
  const days = self.dice.int(1, 45);
  const byItself = self.dice.chance(0.5);
  const resumes = byItself ? { resumes_at: iso(self.now + days * DAY_MS) } : {};
  const paused = await self.call('POST', `/api/subscriptions/${self.subscriptionId}/pause`, resumes);
  if (paused.status !== 200) return;
  self.life.isPlain = false;
  await track(self);
  await advance(self, Math.max(0, days + self.dice.int(-3, 3)) * DAY_MS + HOUR_MS);
  await self.call('POST', `/api/subscriptions/${self.subscriptionId}/resume`, {});
}

async function cancel(self: Living): Promise<void> {
  const { dice } = self;
  const bill_usage = dice.chance(0.8);
  const cancel_at = dice.pick(['immediately', 'end_of_period', null]);
  const body = {
    cancel_at,
    bill_usage,
    flat_fee_behavior: dice.pick(['charge_prorated', 'charge_full', 'refund']),
    invoicing_behavior: dice.pick(['add_to_next_invoice', 'invoice_now']),
  };
  const canceled = await self.call('POST', `/api/subscriptions/${self.subscriptionId}/cancel`, body);
  if (canceled.status !== 200 || cancel_at === null) return;
  if (!bill_usage) self.life.isPlain = false;
  await advance(self, 31 * DAY_MS);
  await look(self);
  if (!self.live && dice.chance(0.7)) await subscribe(self);
}

async function changePlan(self: Living): Promise<void> {
  const body = {
    new_plan_id: self.dice.pick(self.catalog.planIds),
    invoicing_behavior: self.dice.pick(['add_to_next_invoice', 'invoice_now']),
    usage_behavior: self.dice.pick(['transfer_to_new_subscription', 'reset_usage']),
  };
  const { body: now } = await self.call('GET', `/api/subscriptions/${self.subscriptionId}`);
  if (!self.live || String(now.plan_id) === body.new_plan_id) return;
  const changed = await self.call('POST', `/api/subscriptions/${self.subscriptionId}/switch_plan/`, body);
  if (changed.status !== 200) return;
  self.life.isPlain = false;
  self.subscriptionId = String(changed.body.subscription_id);
}

async function changeCard(self: Living): Promise<void> {
  if (self.life.payer) self.processor.deal(self.life.payer, self.dice);
}

async function grantCredit(self: Living): Promise<void> {
  const body = { customer_id: self.life.customerId, amount: self.dice.decimal(1, 20_000, 2) };
  const made = await self.call('POST', '/api/credits', body);
  if (self.dice.chance(0.2)) await self.call('POST', `/api/credits/${made.body.credit_id}/void`, {});
}

async function settle(self: Living): Promise<void> {
  for (const invoice of await invoices(self, 'open')) {
    const action = self.dice.pick(['mark_paid', 'mark_paid', 'pay', 'pay', 'void', 'mark_uncollectible']);
    await self.call('POST', `/api/invoices/${invoice.invoice_id}/${action}`, {});
  }
}

async function refund(self: Living): Promise<void> {
  const paid = (await invoices(self, 'paid')).filter((one) => Number(one.amount_paid) > Number(one.amount_refunded));
  if (paid.length === 0) return;
  const method = self.dice.pick(['store_credit', 'bank_transfer', 'original_payment']);
  const body = { invoice_id: self.dice.pick(paid).invoice_id, method };
  const made = await self.call('POST', '/api/refunds', body);
  if (made.status !== 201 || method !== 'bank_transfer') return;
  const end = self.dice.pick(['complete', 'cancel']);
  await self.call('POST', `/api/refunds/${made.body.refund_id}/${end}`, {});
}

async function addon(self: Living): Promise<void> {
  if (!self.live) return;
  const action = self.dice.pick(['attach', 'attach', 'cancel']);
  const addon_id = self.dice.pick(self.catalog.addonIds);
  const path = `/api/subscriptions/${self.subscriptionId}`;
  const { body } = await self.call('GET', path);
  if (!['active', 'pending'].includes(String(body.status))) return;
  const attached = itemsOf(body.addons).map((one) => String(one.addon_id));
  if (action === 'cancel' && !attached.includes(addon_id)) return;
  await self.call('POST', `${path}/addons/${action}`, { addon_id });
}

/** The customer goes, its events with it; its invoices stay. */
async function erase(self: Living): Promise<void> {
  if (!self.dice.chance(0.3)) return;
  await self.call('POST', `/api/customers/${self.life.customerId}/delete/`, {});
  self.life.isDeleted = true;
}

async function invoices(self: Living, status: string): Promise<Json[]> {
  const query = `customer_id=${self.life.customerId}&status=${status}&page_size=200`;
  const { body } = await self.call('GET', `/api/invoices?${query}`);
  return itemsOf(body.results);
}

async function look(self: Living): Promise<void> {
  const { body } = await self.call('GET', `/api/subscriptions/${self.subscriptionId}`);
  self.live = ['active', 'pending', 'paused'].includes(String(body.status));
}

/** Moves the customer's clock and waits until all that was due on the way has happened. */
async function advance(self: Living, byMs: number): Promise<void> {
  const { call, life } = self;
  const goal = self.now + byMs;
  await call('POST', `/api/test-clocks/${life.clockId}/advance`, { frozen_time: iso(goal) });
  const begun = performance.now();
  for (;;) {
    const { body } = await call('GET', `/api/test-clocks/${life.clockId}`);
    if (String(body.status) === 'failed') throw new Error(`clock ${life.clockId} of ${life.customerId} failed`);
    if (String(body.status) === 'ready' && Date.parse(String(body.frozen_time)) === goal) break;
    if (performance.now() - begun > ADVANCE_GIVE_UP_MS) {
      throw new Error(`clock ${life.clockId} of ${life.customerId} is still ${JSON.stringify(body)}`);
    }
    await sleep(CLOCK_POLL_MS);
  }
  self.now = goal;
  if (self.live) await look(self);
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
