import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Numbers that two migrations have each. They keep their names: what has run is known by its name (`schema_migrations`), so a
 * migration under a new name would run again where it has run, and fail for the table or the column that is there.
 */
const TWICE: Record<string, string[]> = {
  postgres: [
    ...['0003_erasure_and_counts.sql', '0003_invoice_parties.sql'],
    ...['0370_rotated_keys.sql', '0370_unanswered_calls.sql'],
  ],
  clickhouse: [],
};

test.each(Object.entries(TWICE))('each migration of %s has a number of its own', (store, twice) => {
  const names = readdirSync(join(import.meta.dirname, '../../sql/migrations', store)).filter((name) =>
    name.endsWith('.sql'),
  );
  const byNumber = Map.groupBy(names, (name) => /^\d{4}(?=_)/.exec(name)?.[0]);
  expect(byNumber.get(undefined)).toBeUndefined();
  const alike = [...byNumber.values()].filter(({ length }) => length > 1).flat();
  expect(alike.sort()).toEqual(twice);
});
