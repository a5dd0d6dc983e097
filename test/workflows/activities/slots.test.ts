import { expect, test, vi } from 'vitest';
import { createSlots } from '../../../workflows/activities/slots.ts';

/** Work that ends when it is told. */
function longWork() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: vi.fn(() => promise), end: () => resolve('done') };
}

test('an account holds no more than its share of the slots, whatever it asks for; the others have theirs', async () => {
  const slots = createSlots({ atOnce: 500, ofOne: 3 });
  const { work, end } = longWork();
  const asked = Array.from({ length: 600 }, () => slots.run('acct_hangs', work));
  const ends = Promise.allSettled(asked);
  expect(await slots.run('acct_other', async () => 'at once')).toBe('at once');
  expect(work).toHaveBeenCalledTimes(3);
  expect(slots.turns.takeRefusals()).toEqual(new Map([['acct_hangs', 597]]));
  end();
  const putOff = (await ends).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(putOff).toHaveLength(597);
  expect(await slots.run('acct_hangs', async () => 'again')).toBe('again');
});

test('what is put off is tried again by Temporal, and is no failure that ends a workflow', async () => {
  const slots = createSlots({ atOnce: 500, ofOne: 1 });
  const { work, end } = longWork();
  const first = slots.run('acct_any', work);
  await expect(slots.run('acct_any', work)).rejects.toMatchObject({
    ...{ type: 'PutOff', nonRetryable: false, category: 'BENIGN', nextRetryDelay: expect.any(Number) },
    message: expect.stringContaining("its share of this worker's slots (1)"),
  });
  end();
  expect(await first).toBe('done');
});

test('a failure gives the slot back, and is told as it is', async () => {
  const slots = createSlots({ atOnce: 500, ofOne: 1 });
  const fail = () => Promise.reject(new Error('Postgres is away'));
  await expect(slots.run('acct_any', fail)).rejects.toThrow('Postgres is away');
  expect(await slots.run('acct_any', async () => 'in the slot')).toBe('in the slot');
});
