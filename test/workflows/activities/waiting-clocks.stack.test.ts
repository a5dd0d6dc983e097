import { expect, test } from 'vitest';
import { newAccount, withPostgres } from '../../stack/accounts.ts';
import { clockAtRest, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { waitUntil } from '../../stack/wait-until.ts';

const FROZEN = '2026-03-01T00:00:00.000Z';
const GOAL = '2027-03-01T00:00:00.000Z';

test('four clocks of an account advance beside each other, the others wait for them, and one that waits is stopped at once', async () => {
  const { accountId, api } = await newAccount();
  const plan_id = await makePlan(api);
  const clocks: string[] = [];
  for (let i = 0; i < 8; i++) {
    const test_clock_id = await makeClock(api, FROZEN);
    await subscribe(api, { customer_id: await makeCustomer(api, `c${i}`, { test_clock_id }), plan_id });
    clocks.push(test_clock_id);
  }
  const begun = await Promise.all(
    clocks.map((clock) => api.post(`/api/test-clocks/${clock}/advance`, { frozen_time: GOAL })),
  );
  expect(begun.map(({ status, body }) => [status, body.status])).toEqual(clocks.map(() => [200, 'advancing']));
  const underWay = () => countClocks(accountId, "status = 'advancing' AND NOT waits");
  await waitUntil(underWay, (count) => count === 4);
  const [waiting = ''] = await idsOf(accountId, "status = 'advancing' AND waits ORDER BY test_clock_id DESC");
  const stopped = await api.delete(`/api/test-clocks/${waiting}`);
  expect([stopped.status, stopped.body]).toMatchObject([202, { status: 'ready', frozen_time: FROZEN }]);
  const most = { value: 0 };
  const left = clocks.filter((clock) => clock !== waiting);
  const watching = setInterval(async () => {
    most.value = Math.max(most.value, await underWay());
  }, 50);
  try {
    const arrived = await Promise.all(left.map((clock) => clockAtRest(api, clock)));
    expect(arrived).toEqual(left.map(() => expect.objectContaining({ status: 'ready', frozen_time: GOAL })));
  } finally {
    clearInterval(watching);
  }
  expect(most.value).toBeLessThanOrEqual(4);
});

function idsOf(accountId: string, which: string): Promise<string[]> {
  return withPostgres(async (postgres) => {
    const sql = `SELECT test_clock_id FROM test_clocks WHERE account_id = $1 AND ${which}`;
    const { rows } = await postgres.query<{ test_clock_id: string }>(sql, [accountId]);
    return rows.map(({ test_clock_id }) => test_clock_id);
  });
}

async function countClocks(accountId: string, which: string): Promise<number> {
  return (await idsOf(accountId, which)).length;
}
