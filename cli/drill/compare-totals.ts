import type { ClickHouseClient } from '@clickhouse/client';
import type { Instant } from '../../core/instants.ts';
import { verifyChains } from '../../services/chain/verify-chain.ts';
import { listUsageTotals } from '../../sql/clickhouse/usage/usage-totals.ts';
import {
  type DrillFinding,
  type InvoiceName,
  listChainEnds,
  listCustomersDeletedSince,
  listInvoicesAfter,
  listLedgerImbalances,
  sumInvoices,
} from '../../sql/postgres/backup-drills.ts';
import { whileVerifying } from '../../sql/postgres/chain/chain-checks.ts';
import { findBentHeads } from '../../sql/postgres/chain/chain-heads.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { endOfMessage } from '../../stream/positions.ts';

/** Stores of either side. */
export type Side = { postgres: Pool; clickhouse: ClickHouseClient };

const INVOICES_AT_ONCE = 1_000;
/** A customer who was being deleted while the backup was taken is left out, too. */
const MARGIN_MS = 3_600_000;
const NOTHING = 'nothing';

/**
 * What is otherwise in a restored backup than where the service runs: usage up to the backup's mark by account and event name, the sums of
 * its invoices by account and currency, the balance of its ledger, and its chains, which are computed again from their first entries.
 * Customers deleted since are left out. Empty where all is the same.
 */
export async function compareTotals(
  restored: Side,
  running: Side,
  { landedTo, takenAt }: { landedTo: number; takenAt: Instant },
): Promise<DrillFinding[]> {
  return [
    ...(await compareUsage(restored, running, { landedTo, takenAt })),
    ...(await compareRecords(restored, running)),
  ];
}

type Records = Pick<Side, 'postgres'>;

/** {@link compareTotals} of the records alone. */
export async function compareRecords(restored: Records, running: Records): Promise<DrillFinding[]> {
  return [
    ...(await compareInvoices(restored, running)),
    ...(await findImbalances(restored)),
    ...(await compareChains(restored, running)),
  ];
}

async function compareUsage(
  restored: Side,
  running: Side,
  { landedTo, takenAt }: { landedTo: number; takenAt: Instant },
) {
  const deleted = await whileVerifying(running.postgres, (tx) => listCustomersDeletedSince(tx, takenAt - MARGIN_MS));
  const totalsOf = async ({ clickhouse }: Side) => {
    const totals = await listUsageTotals(clickhouse, endOfMessage(landedTo), deleted);
    return totals.map(({ accountId, eventName, events, checksum }) => ({
      accountId,
      name: `usage named ${eventName}`,
      value: `${events} events with checksum ${checksum}`,
    }));
  };
  return differences(await totalsOf(restored), await totalsOf(running));
}

async function compareInvoices(restored: Records, running: Records): Promise<DrillFinding[]> {
  const found: DrillFinding[] = [];
  let after: InvoiceName | undefined = { accountId: '', invoiceId: '' };
  while (after) {
    const last: InvoiceName = after;
    const names = await whileVerifying(restored.postgres, (tx) => listInvoicesAfter(tx, last, INVOICES_AT_ONCE));
    const totalsOf = async ({ postgres }: Records) => {
      const totals = await whileVerifying(postgres, (tx) => sumInvoices(tx, names));
      return totals.map(({ accountId, currency, invoices, total }) => ({
        accountId,
        name: `invoices in ${currency} up to ${names.at(-1)?.invoiceId}`,
        value: `${invoices} invoices of ${total}`,
      }));
    };
    found.push(...differences(await totalsOf(restored), await totalsOf(running)));
    after = names.at(-1);
  }
  return found;
}

async function findImbalances({ postgres }: Records): Promise<DrillFinding[]> {
  const off = await whileVerifying(postgres, listLedgerImbalances);
  return off.map(({ accountId, amount }) => ({
    what: 'balance of the ledger',
    account_id: accountId,
    in_backup: amount,
    running: '0',
  }));
}

async function compareChains(restored: Records, running: Records): Promise<DrillFinding[]> {
  const found: DrillFinding[] = [];
  for await (const { accountId, bent } of verifyChains({
    postgres: restored.postgres,
    cancelled: new AbortController().signal,
  })) {
    if (!bent) continue;
    const { kind, recordId, fields, found: how, sequence } = bent;
    const what = `chain entry ${sequence ?? '(none)'}, ${kind ?? 'record'} ${recordId ?? '(none)'}: ${how}`;
    const of = (side: 'stored' | 'chained') => fields.map((one) => `${one.field} ${one[side] ?? NOTHING}`).join(', ');
    found.push({ what, account_id: accountId, in_backup: of('stored'), running: of('chained') });
  }
  const ends = await whileVerifying(restored.postgres, listChainEnds);
  for (const { accountId, sequence, chainHash, stored } of await whileVerifying(running.postgres, (tx) =>
    findBentHeads(tx, ends),
  )) {
    const what = `head of the chain at entry ${sequence}`;
    found.push({ what, account_id: accountId, in_backup: chainHash, running: stored ?? NOTHING });
  }
  return found;
}

type Total = { accountId: string; name: string; value: string };

function differences(restored: readonly Total[], running: readonly Total[]): DrillFinding[] {
  const keyOf = ({ accountId, name }: Total) => JSON.stringify([accountId, name]);
  const [inBackup, there] = [restored, running].map((side) => new Map(side.map((one) => [keyOf(one), one])));
  const keys = new Set([...(inBackup?.keys() ?? []), ...(there?.keys() ?? [])]);
  return [...keys].flatMap((key) => {
    const [one, other] = [inBackup?.get(key), there?.get(key)];
    if (one?.value === other?.value) return [];
    const { accountId = '', name = '' } = one ?? other ?? {};
    return { what: name, account_id: accountId, in_backup: one?.value ?? NOTHING, running: other?.value ?? NOTHING };
  });
}
