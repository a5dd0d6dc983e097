import type { SearchHit, SearchType } from '../../billing/overview/search-hit.ts';
import { COUNT_CAP } from './page-window.ts';
import type { Transaction } from './postgres.ts';

type HitRow = { type: SearchType; id: string; title: string; detail: string; customer_id: string | null };

/** Columns of a {@link HitRow}; what is not given is said by SQL of ours. */
const hit = (type: SearchType, id: string, title: string, detail: string, customerId = 'NULL::text') =>
  `SELECT '${type}' AS type, ${id} AS id, ${title} AS title, ${detail} AS detail, ${customerId} AS customer_id`;

/** The records that have this very id, or this invoice number; whatever kinds they are. */
export async function findByName(
  tx: Transaction,
  accountId: string,
  { id, invoiceNumber }: { id: string; invoiceNumber: string },
): Promise<SearchHit[]> {
  const { rows } = await tx.query<HitRow>(
    `${hit('customer', 'c.customer_id', `coalesce(nullif(c.customer_name, ''), c.customer_id)`, 'c.email', 'c.customer_id')}
       FROM customers c WHERE c.account_id = $1 AND c.customer_id = $2 AND c.deleted_at IS NULL
     UNION ALL ${hit('subscription', 's.subscription_id', 'v.name', 's.status', 's.customer_id')}
       FROM subscriptions s JOIN plan_versions v USING (account_id, plan_id, version)
       WHERE s.account_id = $1 AND s.subscription_id = $2
     UNION ALL ${hit('invoice', 'invoice_id', 'invoice_number', `status || ', ' || total || ' ' || currency`, 'customer_id')}
       FROM invoices WHERE account_id = $1 AND (invoice_id = $2 OR invoice_number = $3)
     UNION ALL ${hit('plan', 'plan_id', 'v.name', 'p.status')}
       FROM plans p JOIN plan_versions v USING (account_id, plan_id) WHERE p.account_id = $1 AND plan_id = $2 AND v.version = p.latest_version
     UNION ALL ${hit('addon', 'addon_id', 'name', 'status')} FROM addons WHERE account_id = $1 AND addon_id = $2
     UNION ALL ${hit('metric', 'metric_id', 'metric_name', 'status')} FROM metrics WHERE account_id = $1 AND metric_id = $2
     UNION ALL ${hit('credit', 'credit_id', `amount || ' ' || currency`, `coalesce(description, reason)`, 'customer_id')}
       FROM credits WHERE account_id = $1 AND credit_id = $2`,
    [accountId, id, invoiceNumber],
  );
  return rows.map(hitFromRow);
}

/**
 * Plans, add-ons and metrics in whose names `text` stands, in any case, newest first, at most `most` of each kind. Under row-level
 * security no index may compare a part of a name, so the newest of the catalog are looked at, as many as lists are counted to.
 */
export async function findInCatalog(
  tx: Transaction,
  accountId: string,
  text: string,
  most: number,
): Promise<SearchHit[]> {
  const named = (type: SearchType, newest: string) => `(
    ${hit(type, 'id', 'name', 'status')}
    FROM (${newest} WHERE t.account_id = $1 ORDER BY t.seq DESC LIMIT ${COUNT_CAP + 1}) newest
    WHERE strpos(lower(name), lower($2)) > 0 ORDER BY seq DESC LIMIT $3)`;
  const plans = `SELECT t.seq, t.plan_id AS id, v.name, t.status FROM plans t
    JOIN plan_versions v ON v.account_id = $1 AND v.plan_id = t.plan_id AND v.version = t.latest_version`;
  const { rows } = await tx.query<HitRow>(
    `${named('plan', plans)}
     UNION ALL ${named('addon', 'SELECT t.seq, t.addon_id AS id, t.name, t.status FROM addons t')}
     UNION ALL ${named('metric', 'SELECT t.seq, t.metric_id AS id, t.metric_name AS name, t.status FROM metrics t')}`,
    [accountId, text, most],
  );
  return rows.map(hitFromRow);
}

function hitFromRow({ customer_id: customerId, ...row }: HitRow): SearchHit {
  return { ...row, customerId };
}
