import { expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { countUsage, deleteUsage, findCustomersWithUsage } from '../../../sql/clickhouse/usage/erase-usage.ts';
import { insertUsageBatch } from '../../../sql/clickhouse/usage/usage-landing.ts';
import { listUsageTotals } from '../../../sql/clickhouse/usage/usage-totals.ts';
import { fingerprintOf } from '../../../stream/fingerprint.ts';
import { ownClickHouse } from '../../stack/own-database.ts';
import { placedRows } from '../placed-rows.ts';

const clickhouse = ownClickHouse();

const AT = Date.UTC(2026, 10, 1);
/** As many as are looked at together, and as many as are erased together. */
const [LOOKED_AT, ERASED] = [1_000, 20];

test('customers with the longest ids are found and erased, as many as are looked at together', async () => {
  const accountId = newId('acct');
  const customers = Array.from({ length: LOOKED_AT }, (_, i) => {
    return { accountId, customerId: `${'😀'.repeat(252)}${String(i).padStart(4, '0')}` };
  });
  const used = customers.slice(-ERASED);
  const events = used.map(({ customerId }, i) => ({
    ...{ accountId, customerId, eventName: 'call', timeCreated: AT, idempotencyId: `id-${i}`, receivedAt: AT },
    ...{ numbers: {}, strings: {}, booleans: {}, position: BigInt(i + 1), epoch: 1 },
    fingerprint: fingerprintOf(accountId, `id-${i}`),
  }));
  await insertUsageBatch(clickhouse, placedRows(events), newId('evt'));
  const found = await findCustomersWithUsage(clickhouse, customers);
  expect(found.map(({ customerId }) => customerId).sort()).toEqual(used.map(({ customerId }) => customerId).sort());
  const without = await listUsageTotals(clickhouse, BigInt(ERASED), customers.slice(0, -1));
  expect(without.find((one) => one.accountId === accountId)).toMatchObject({ events: '1' });
  await deleteUsage(clickhouse, ...used);
  expect(await findCustomersWithUsage(clickhouse, customers)).toEqual([]);
  const [first = { accountId, customerId: '' }] = used;
  expect(await countUsage(clickhouse, first)).toEqual({ events: 0, rollups: 0 });
});
