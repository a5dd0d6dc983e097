import { checkInvoice } from '../../billing/invoices/check-invoice.ts';
import { currencyOf } from '../../core/currencies.ts';
import { findUsages } from '../../sql/clickhouse/metrics/metric-by-window.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { findWholeInvoice } from '../../sql/postgres/invoices/invoices.ts';
import {
  findDeletedCustomers,
  listAccountIdsAfter,
  replaceDifferences,
  sampleInvoiceIds,
} from '../../sql/postgres/invoices/parity.ts';
import { inSnapshot, inTransaction } from '../../sql/postgres/postgres.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import { loadRecounts } from './recount-lines.ts';

/** Accounts read at a time. */
const PAGE_SIZE = 500;
/** Of an account with more invoices a different sample is checked every night. */
const INVOICES_PER_ACCOUNT = 1_000;
const DAY_MS = 86_400_000;

export type ParityResult = { checked: number; differences: number };

type ParityDependencies = Pick<ServiceDependencies, 'postgres' | 'clickhouse' | 'clock' | 'log'>;

/** Computes issued invoices of every account again, and keeps what differs (`GET /api/invoices/parity`). */
export async function checkParity(dependencies: ParityDependencies, cancelled: AbortSignal): Promise<ParityResult> {
  const sum = { checked: 0, differences: 0 };
  let after = '';
  for (;;) {
    const accountIds = await listAccountIdsAfter(dependencies.postgres, after, PAGE_SIZE);
    for (const accountId of accountIds) {
      const { checked, differences } = await checkAccountParity(dependencies, accountId, cancelled);
      sum.checked += checked;
      sum.differences += differences;
    }
    const last = accountIds.at(-1);
    if (last === undefined) return sum;
    after = last;
  }
}

/** The same for one account. */
export async function checkAccountParity(
  dependencies: ParityDependencies,
  accountId: string,
  cancelled: AbortSignal,
): Promise<ParityResult> {
  const { postgres, clock } = dependencies;
  const night = Math.floor(clock.now() / DAY_MS);
  const invoiceIds = await inTransaction(postgres, accountId, (tx) =>
    sampleInvoiceIds(tx, accountId, night, INVOICES_PER_ACCOUNT),
  );
  let differences = 0;
  for (const invoiceId of invoiceIds) {
    cancelled.throwIfAborted();
    differences += await checkOne(dependencies, accountId, invoiceId);
  }
  return { checked: invoiceIds.length, differences };
}

async function checkOne({ postgres, clickhouse, log }: ParityDependencies, accountId: string, invoiceId: string) {
  const { invoice, lines } = await inSnapshot(postgres, accountId, async (tx) => {
    const issued = await findWholeInvoice(tx, accountId, invoiceId);
    if (!issued) throw new Error(`invoice ${invoiceId} is missing`);
    return { invoice: issued, lines: await loadRecounts(tx, accountId, issued) };
  });
  const counted = lines.filter(({ question }) => question !== null);
  // Read one by one, so that the check checks what is counted beforehand as well.
  const source = { clickhouse, rolledUp: NOTHING_ROLLED_UP };
  const usages = await findUsages(
    source,
    counted.flatMap(({ question }) => question ?? []),
  );
  const usageOf = new Map(counted.map((line, i) => [line, usages[i]]));
  const customerIds = [...new Set(counted.map(({ question }) => question?.customerId ?? ''))];
  const found = await inTransaction(postgres, accountId, async (tx) => {
    // Asked behind the count: the usage of a customer who is not deleted by now was whole when it was counted.
    const erased = await findDeletedCustomers(tx, accountId, customerIds);
    const recounts = lines.map((line) => {
      const isErased = line.question !== null && erased.has(line.question.customerId);
      return { ...line, usage: isErased ? null : (usageOf.get(line) ?? null) };
    });
    const differences = checkInvoice(invoice, recounts, currencyOf(invoice.currency).exponent);
    await replaceDifferences(tx, accountId, invoiceId, differences);
    return differences;
  });
  for (const difference of found) {
    log.error({ accountId, invoiceId, ...difference }, 'an invoice comes out otherwise when it is computed again');
  }
  return found.length;
}
