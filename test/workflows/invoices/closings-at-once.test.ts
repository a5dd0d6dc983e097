import { expect, test } from 'vitest';
import type { SubscriptionSchedule } from '../../../billing/periods/schedule.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { ClosingsAtOnce } from '../../../workflows/activities/closings-at-once.ts';

const accountId = 'acct_any';
const atOnce = 3;
const dueAt = Date.UTC(2026, 10, 1);
const clock = { ...systemClock, now: () => dueAt + 1_000 };
const periodOf = (subscriptionId: string, customerId = 'acme') => ({
  ...{ accountId, customerId, subscriptionId, periodIndex: 0 },
});
const closed: SubscriptionSchedule = {
  ...{ status: 'active', customerId: 'acme', planId: 'plan_any', periodEnd: null, clockTime: null },
  next: { kind: 'close_period', periodIndex: 1, dueAt: dueAt + 86_400_000 },
};
const stillDue: SubscriptionSchedule = { ...closed, next: { kind: 'invoice_period', periodIndex: 0, dueAt } };
const never = () => new Promise<never>(() => {});

test('of a customer whose ten subscriptions are due together one closing is made: the others wait for it, or come later', async () => {
  const closings = new ClosingsAtOnce(clock, { atOnce });
  const ids = Array.from({ length: 10 }, (_, i) => `sub_${i}`);
  let made = 0;
  const work = async () => {
    made++;
    await new Promise((resolve) => setImmediate(resolve));
    closings.keep(accountId, new Map(ids.map((id) => [id, closed])));
    return closed;
  };
  const meanwhile = await Promise.all(ids.slice(0, 9).map((id) => closings.close(periodOf(id), work)));
  expect(meanwhile).toEqual(Array.from({ length: 9 }, () => closed));
  expect(await closings.close(periodOf('sub_9'), work)).toEqual(closed);
  expect(made).toBe(1);
});

test('what is known is told once, of that period alone, and never of a test clock or of what is still due', async () => {
  const closings = new ClosingsAtOnce(clock, { atOnce });
  const frozen = { ...closed, clockTime: dueAt };
  closings.keep(accountId, new Map([['sub_due', stillDue]]));
  closings.keep(accountId, new Map([['sub_frozen', frozen]]));
  closings.keep(accountId, new Map([['sub_one', closed]]));
  const asked: string[] = [];
  const ask = (id: string, periodIndex = 0) =>
    closings.close({ ...periodOf(id), periodIndex }, async () => {
      asked.push(`${id} ${periodIndex}`);
      return null;
    });
  // Of the period after the one that was closed nothing is known that is due.
  const nextDue: SubscriptionSchedule = { ...closed, next: { kind: 'close_period', periodIndex: 1, dueAt } };
  closings.keep(accountId, new Map([['sub_next', nextDue]]));
  expect(await ask('sub_next', 1)).toBeNull();
  expect(await ask('sub_one')).toEqual(closed);
  for (const id of ['sub_due', 'sub_frozen', 'sub_one']) expect(await ask(id)).toBeNull();
  expect(asked).toEqual(['sub_next 1', 'sub_due 0', 'sub_frozen 0', 'sub_one 0']);
});

test('a failure is of whoever closes: the next of the customer closes it', async () => {
  const closings = new ClosingsAtOnce(clock, { atOnce });
  const failing = closings.close(periodOf('sub_1'), () => Promise.reject(new Error('Postgres is away')));
  const next = closings.close(periodOf('sub_2'), async () => closed);
  await expect(failing).rejects.toThrow('Postgres is away');
  expect(await next).toEqual(closed);
});

test('a closing waits for others for a moment only, and behind what takes long not at all: its workflow holds its task meanwhile', async () => {
  const patienceMs = 50;
  const closings = new ClosingsAtOnce(clock, { atOnce, patienceMs });
  for (let i = 0; i < atOnce; i++) void closings.close(periodOf(`sub_${i}`, `customer_${i}`), never);
  expect(await closings.close(periodOf('sub_same', 'customer_0'), never)).toBeNull();
  let begun = false;
  const behind = closings.close(periodOf('sub_behind', 'behind'), async () => {
    begun = true;
    return closed;
  });
  expect(await behind).toBeNull();
  expect(begun).toBe(false);
});

test('what is remembered is older than what a workflow has read anew, and nothing is of who has closed itself', async () => {
  const closings = new ClosingsAtOnce(clock, { atOnce });
  const period = periodOf('sub_one');
  let made = 0;
  const work = async () => {
    made++;
    closings.keep(accountId, new Map([['sub_one', closed]]));
    return closed;
  };
  closings.keep(accountId, new Map([['sub_one', closed]]));
  expect(await closings.close({ ...period, isReadAnew: true }, work)).toEqual(closed);
  expect(made).toBe(1);
  // As where its records were restored from before, by what this very closing has answered.
  await closings.close(period, work);
  expect(made).toBe(2);
});
