import { identityOf, type StatementSent, sendLast, type Transaction } from '../postgres.ts';

/** An {@link invoicePlaceholder} of a saved id. Until its transaction ends, no caller can have written that of a new invoice. */
const NUMBER_TO_COME = /\{invoice:(inv_[0-9a-z]+)\}/g;

/** The text with `INV-…` for each number that is to come: for what shows it before it has come. */
export function withoutNumbersToCome(text: string): string {
  return text.replaceAll(NUMBER_TO_COME, 'INV-…');
}

/**
 * The next numbers of the account, in the order of `$2`: no gaps, since they are given back if the transaction does not commit
 * (spec/invoices#numbers). The place in lists comes with the number: they are in one order, whoever has begun first. Without a
 * counter there is no number, which the column refuses.
 */
const NUMBER = `WITH taken AS (
    UPDATE invoice_counters SET last_number = last_number + cardinality($2::text[]) WHERE account_id = $1
    RETURNING last_number - cardinality($2::text[]) AS before
  ), given AS MATERIALIZED (
    SELECT invoice_id, (before + n)::text AS number, nextval('invoices_seq_seq') AS seq
    FROM (SELECT * FROM unnest($2::text[]) WITH ORDINALITY AS made (invoice_id, n) LEFT JOIN taken ON true ORDER BY n) ordered
  )
  UPDATE invoices i SET seq = g.seq, invoice_number = 'INV-' || lpad(g.number, greatest(6, length(g.number)), '0')
  FROM given g WHERE i.account_id = $1 AND i.invoice_id = g.invoice_id`;

/**
 * What would take Postgres time while it holds the counter: the check of the ledger, else made at the commit, and plans, which it makes
 * anew for fewer rows than it guesses.
 */
const BEFORE = `SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL plan_cache_mode = 'force_generic_plan'`;

/** The table and column of each text that may say a number, how it is written, and its rows' ids. */
const SAYING = {
  events: ['outbox_events', 'event_id', 'data', 'json'],
  entries: ['audit_entries', 'audit_id', 'after', 'jsonb'],
  credits: ['credits', 'credit_id', 'description', 'text'],
  lines: ['invoice_lines', 'line_id', 'description', 'text'],
} as const;

type Saying = keyof typeof SAYING;

/** Puts numbers where they are said: of the invoices `$3` in the rows `$2`, each row once. */
function putNumbers(where: Saying): string {
  const [table, id, column, type] = SAYING[where];
  return `UPDATE ${table} t SET ${column} = replace(t.${column}::text, '{invoice:' || i.invoice_id || '}', i.invoice_number)::${type}
    FROM unnest($2::text[], $3::text[]) AS said (id, invoice_id)
      JOIN invoices i ON i.account_id = $1 AND i.invoice_id = said.invoice_id
    WHERE t.account_id = $1 AND t.${id} = said.id`;
}

/** The invoices of a transaction that have no number yet, in order, and which rows say the numbers of which of them. */
type Unnumbered = { invoiceIds: string[]; said: { where: Saying; id: string; invoiceIds: string[] }[] };

const unnumbered = new WeakMap<object, Unnumbered>();

/**
 * Has invoices of the transaction numbered together with its end, in this order and behind those before: the account's other invoices wait
 * for its counter no longer than that takes Postgres (docs/decisions/numbers-at-the-end.md). Until then each says its
 * {@link invoicePlaceholder}.
 */
export function numberAtEnd(tx: Transaction, accountId: string, invoiceIds: readonly string[]): void {
  const before = unnumbered.get(identityOf(tx));
  const all = before ?? { invoiceIds: [], said: [] };
  all.invoiceIds.push(...invoiceIds);
  if (before) return;
  unnumbered.set(identityOf(tx), all);
  sendLast(tx, () => numbering(accountId, all));
}

/** Whatever writes a text that may say the number of an invoice of its transaction tells which row has it. */
export function noteNumbersSaid(
  tx: Transaction,
  where: Saying,
  written: readonly { id: string; text: string | null }[],
): void {
  const ofTransaction = unnumbered.get(identityOf(tx));
  if (!ofTransaction) return;
  const isOurs = (id: string) => ofTransaction.invoiceIds.includes(id);
  for (const { id, text } of written) {
    const invoiceIds = new Set([...(text ?? '').matchAll(NUMBER_TO_COME)].map(([, invoiceId = '']) => invoiceId));
    if (invoiceIds.size > 0) ofTransaction.said.push({ where, id, invoiceIds: [...invoiceIds].filter(isOurs) });
  }
}

/** A row that says several numbers, as one that used what an invoice before has left, is written once for each. */
function numbering(accountId: string, { invoiceIds, said }: Unnumbered): StatementSent[] {
  const statements: StatementSent[] = [[BEFORE], [NUMBER, [accountId, invoiceIds]]];
  for (const [where, rows] of Map.groupBy(said, (one) => one.where)) {
    for (let nth = 0; ; nth++) {
      const saying = rows.filter(({ invoiceIds }) => invoiceIds.length > nth);
      if (saying.length === 0) break;
      const [ids, theirs] = [saying.map(({ id }) => id), saying.map((row) => row.invoiceIds[nth])];
      statements.push([putNumbers(where), [accountId, ids, theirs]]);
    }
  }
  return statements;
}
