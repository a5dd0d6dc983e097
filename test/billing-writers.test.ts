import { expect, test } from 'vitest';
import { namedImportsOf, root, textsOf } from './source-files.ts';

/** The tables of billing records (docs/decisions/decider.md#change-sets). */
const TABLES = [
  ...['subscriptions', 'periods', 'pauses', 'subscription_phases', 'addon_subscriptions', 'subscription_prepaid_units'],
  ...['discounts', 'waiting_lines', 'invoice_sections', 'invoices', 'invoice_lines', 'line_counts', 'limited_amounts'],
  ...['billed_usage', 'billed_price_books', 'billed_combinations', 'billed_event_prices', 'usage_marks'],
  ...['credits', 'credit_applications', 'refunds', 'payments', 'payment_attempts'],
  ...['ledger_transactions', 'ledger_entries', 'due_steps', 'past_due_waits'],
  ...['charges', 'charge_reversals', 'invoice_terms'],
];

const WRITER = 'services/billing/save-changes.ts';

const files = textsOf(root, ['.ts']).filter(({ path }) => !path.startsWith('test/'));

test('only save-changes.ts imports statements that write billing records', () => {
  const writing = statementsThatWrite(TABLES);
  const outside = files
    .filter(({ path }) => !path.startsWith('sql/') && path !== WRITER)
    .flatMap(({ path, text }) => {
      const statements = namedImportsOf(text).filter(
        ({ name, from }) => from.includes('sql/postgres/') && writing.has(name),
      );
      return statements.length === 0 ? [] : [[path, statements.map(({ name }) => name).toSorted()]];
    });
  expect(outside).toEqual([]);
});

test('save-changes.ts imports a statement for each of the tables', () => {
  const own = files.find(({ path }) => path === WRITER);
  const imported = new Set(namedImportsOf(own?.text ?? '').map(({ name }) => name));
  const unwritten = TABLES.filter((table) => [...statementsThatWrite([table])].every((name) => !imported.has(name)));
  expect(unwritten).toEqual([]);
});

/** Returns the functions of `sql/postgres/` that write one of the tables, by themselves or by calling one that does. */
function statementsThatWrite(tables: readonly string[]): Set<string> {
  const writes = new RegExp(String.raw`\b(?:INSERT INTO|UPDATE|DELETE FROM) (?:${tables.join('|')})\b`);
  const functions = files
    .filter(({ path }) => path.startsWith('sql/postgres/'))
    .flatMap(({ text }) => functionsOf(text));
  const found = new Set(functions.filter(({ body }) => writes.test(body)).map(({ name }) => name));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    const calls = new RegExp(String.raw`\b(?:${[...found].join('|')})\(`);
    for (const { name, body } of functions) if (calls.test(body)) found.add(name);
  }
  return found;
}

function functionsOf(text: string): { name: string; body: string }[] {
  return text.split(/^(?=(?:export )?(?:async )?function )/m).flatMap((part) => {
    const [, name, body] = /^(?:export )?(?:async )?function (\w+)([\s\S]*?^\})/m.exec(part) ?? [];
    return name === undefined || body === undefined ? [] : [{ name, body }];
  });
}
