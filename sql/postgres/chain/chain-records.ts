import { CHAINED_KINDS, type ChainedKind } from '../../../billing/chain/chain.ts';
import type { Transaction } from '../postgres.ts';

/**
 * A record as it is stored now: `record` is what must never change of it, as JSON has it (decimals, instants as text); `personal` is
 * what may be erased, null where it has none.
 */
export type ChainedRecord = { recordId: string; record: object; personal: object | null };

/**
 * What content of version 1 has of each kind, without what is null. It stays as it is: a later version, for columns that are to be chained as well, gets a
 * statement of its own.
 */
const VERSION_1: Record<ChainedKind, string> = {
  invoice: `SELECT i.invoice_id AS record_id,
      jsonb_build_object('customer_name', i.customer_name, 'billing_address', i.billing_address) AS personal,
      jsonb_strip_nulls(jsonb_build_object('invoice_number', i.invoice_number, 'customer_id', i.customer_id, 'subscription_id', i.subscription_id,
        'period_index', i.period_index, 'kind', i.kind, 'currency', i.currency, 'issue_date', i.issue_date, 'due_date', i.due_date,
        'period_start', i.period_start, 'period_end', i.period_end, 'subtotal', i.subtotal, 'tax_rate', i.tax_rate,
        'tax_amount', i.tax_amount, 'total', i.total, 'issuer_name', i.issuer_name, 'issue_timezone', i.issue_timezone,
        'test_clock_id', i.test_clock_id, 'created_at', i.created_at,
        'lines', (SELECT coalesce(jsonb_agg(jsonb_build_object('line_id', l.line_id, 'type', l.type, 'description', l.description,
            'customer_id', l.customer_id, 'subscription_id', l.subscription_id, 'plan_id', l.plan_id, 'version', l.version,
            'metric_id', l.metric_id, 'addon_id', l.addon_id, 'credit_id', l.credit_id, 'period_start', l.period_start,
            'period_end', l.period_end, 'quantity', l.quantity, 'billable_quantity', l.billable_quantity,
            'unit_price', l.unit_price, 'amount', l.amount, 'tiers', l.tiers, 'events_count', l.events_count,
            'given_back_of', l.given_back_of, 'discount_amount', l.discount_amount, 'basis', l.basis, 'based_on', l.based_on,
            'overridden', l.overridden, 'price_group', l.price_group, 'price_id', l.price_id) ORDER BY l.ordinal), '[]')
          FROM invoice_lines l WHERE l.account_id = i.account_id AND l.invoice_id = i.invoice_id),
        'sections', (SELECT coalesce(jsonb_agg(jsonb_build_object('customer_id', s.customer_id, 'subscription_id', s.subscription_id,
            'period_index', s.period_index, 'kind', s.kind, 'due_at', s.due_at, 'period_start', s.period_start,
            'period_end', s.period_end, 'subtotal', s.subtotal) ORDER BY s.seq), '[]')
          FROM invoice_sections s WHERE s.account_id = i.account_id AND s.invoice_id = i.invoice_id))) AS record
    FROM invoices i WHERE i.account_id = $1 AND i.invoice_id = ANY($2)`,
  ledger_transaction: `SELECT t.ledger_transaction_id AS record_id, NULL::jsonb AS personal,
      jsonb_strip_nulls(jsonb_build_object('customer_id', t.customer_id, 'kind', t.kind, 'currency', t.currency, 'invoice_id', t.invoice_id,
        'credit_id', t.credit_id, 'refund_id', t.refund_id, 'at', t.at,
        'entries', (SELECT coalesce(jsonb_agg(jsonb_build_object('ledger_account', e.ledger_account, 'amount', e.amount)
            ORDER BY e.ordinal), '[]')
          FROM ledger_entries e
          WHERE e.account_id = t.account_id AND e.ledger_transaction_id = t.ledger_transaction_id))) AS record
    FROM ledger_transactions t WHERE t.account_id = $1 AND t.ledger_transaction_id = ANY($2)`,
};

/** Those of these records of an account that there are, by id. */
export async function findChainedRecords(
  tx: Transaction,
  accountId: string,
  wanted: readonly { kind: ChainedKind; recordId: string }[],
): Promise<Map<string, ChainedRecord>> {
  const ofKinds = CHAINED_KINDS.map(async (kind) => {
    const ids = wanted.filter((one) => one.kind === kind).map(({ recordId }) => recordId);
    if (ids.length === 0) return [];
    const values = [accountId, ids];
    return (await tx.query<{ record_id: string; record: object; personal: object | null }>(VERSION_1[kind], values))
      .rows;
  });
  const rows = (await Promise.all(ofKinds)).flat();
  return new Map(rows.map(({ record_id, record, personal }) => [record_id, { recordId: record_id, record, personal }]));
}

const KEYS: Record<ChainedKind, { table: string; id: string }> = {
  invoice: { table: 'invoices', id: 'invoice_id' },
  ledger_transaction: { table: 'ledger_transactions', id: 'ledger_transaction_id' },
};

/**
 * The next `limit` records of a kind behind the id `after`, by id: how far they reach (null where there are none), and the first of them
 * that is neither chained nor waits to be.
 */
export async function findUnchained(
  tx: Transaction,
  accountId: string,
  kind: ChainedKind,
  after: string,
  limit: number,
): Promise<{ last: string | null; unchained: string | null }> {
  const { table, id } = KEYS[kind];
  const { rows } = await tx.query<{ last: string | null; unchained: string | null }>(
    `WITH page AS MATERIALIZED (
       SELECT ${id} AS id FROM ${table} WHERE account_id = $1 AND ${id} > $2 ORDER BY ${id} LIMIT $3
     )
     SELECT max(p.id) AS last, min(p.id) FILTER (WHERE e.record_id IS NULL AND q.record_id IS NULL) AS unchained
     FROM page p LEFT JOIN chain_entries e ON e.account_id = $1 AND e.record_id = p.id AND e.kind = $4
       LEFT JOIN chain_queue q ON q.account_id = $1 AND q.record_id = p.id AND q.kind = $4`,
    [accountId, after, limit, kind],
  );
  return rows[0] ?? { last: null, unchained: null };
}
