import { decimal } from '../core/decimal.ts';
import { createLog } from '../runtime/log.ts';
import type { Audited } from '../services/audit/audited.ts';
import { BY_CLI } from '../services/audit/origin.ts';
import { saveAuditEntry } from '../services/audit/save-audit-entry.ts';
import { createCredit } from '../services/credits/create-credit.ts';
import { updateCustomer } from '../services/customers/update-customer.ts';
import { addUsage } from '../services/transactions.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { createPool, inReading, inTransaction, type Pool, type Transaction } from '../sql/postgres/postgres.ts';
import { api } from '../test/stack/api.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { creditCreate } from '../wire/credits.ts';
import { median, report, rounded } from './figures.ts';

const NO_PROCESSORS = {
  connections: { find: async () => undefined },
  log: createLog('bench', 'silent'),
};

/**
 * What the audit log costs a write: the same use case in a transaction with its entry and without, and the call of the API that does it, in
 * turn; `writes` of each.
 */
export async function benchAudit(writes: number): Promise<void> {
  const stack = await startOwnStack();
  const file = stack.file();
  const postgres = createPool(file.postgres_url);
  const nowhere = createClickHouse('http://127.0.0.1:1', undefined);
  try {
    const client = api(file.api_key, file.base_url);
    await client.post('/api/customers/', { customer_id: 'acme', email: 'bench@acme.example' });
    const { account_id: accountId } = file;
    const rows = [];
    const credit = creditCreate.parse({ customer_id: 'acme', amount: decimal(1) });
    const doings: Record<string, Doing> = {
      'PATCH customer': {
        audit: 'customer.updated',
        run: async (write, i) => {
          const of = addUsage(nowhere, { read: (work) => inReading(postgres, accountId, work), write });
          await updateCustomer(of, NO_PROCESSORS, { accountId, customerId: 'acme' }, { email: `a${i}@acme.example` });
        },
        call: (i) => client.patch('/api/customers/acme/', { email: `b${i}@acme.example` }),
      },
      'POST credit': {
        audit: 'credit.created',
        run: (write) => write((tx) => createCredit(tx, accountId, credit, Date.now())),
        call: () => client.post('/api/credits', { customer_id: 'acme', amount: 1 }),
      },
    };
    for (const [name, doing] of Object.entries(doings)) {
      rows.push({ write: name, ...(await measure(postgres, accountId, doing, writes)) });
    }
    report('audit', rows, { writes });
  } finally {
    await Promise.all([postgres.end(), nowhere.close()]);
    await stack.stop();
  }
}

type Write = <T>(work: (tx: Transaction) => Promise<Audited<T>>) => Promise<T>;
type Doing = {
  audit: 'customer.updated' | 'credit.created';
  run(write: Write, i: number): Promise<unknown>;
  call(i: number): Promise<unknown>;
};

async function measure(postgres: Pool, accountId: string, { audit: action, run, call }: Doing, writes: number) {
  const without: Write = (work) => inTransaction(postgres, accountId, async (tx) => (await work(tx)).answer);
  const withEntry: Write = (work) =>
    inTransaction(postgres, accountId, async (tx) => {
      return saveAuditEntry(tx, { accountId, action, origin: BY_CLI }, await work(tx));
    });
  const times = { without: [] as number[], with: [] as number[], call: [] as number[] };
  const timed = async (into: number[], work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    into.push(performance.now() - from);
  };
  for (let i = 0; i < writes; i++) {
    const ways = [
      () => timed(times.without, () => run(without, i)),
      () => timed(times.with, () => run(withEntry, i)),
      () => timed(times.call, () => call(i)),
    ];
    // Each begins as often as the others, so that none always comes after the same one.
    for (let k = 0; k < ways.length; k++) await ways[(i + k) % ways.length]?.();
  }
  const [bare, full, whole] = [median(times.without), median(times.with), median(times.call)];
  return {
    'without ms': rounded(bare),
    'with ms': rounded(full),
    'call ms': rounded(whole),
    'of the call %': rounded((100 * (full - bare)) / (whole - (full - bare))),
    'goal %': 5,
  };
}
