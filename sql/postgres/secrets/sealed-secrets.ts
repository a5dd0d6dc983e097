import type { Instant } from '../../../core/instants.ts';
import { type SealedSecret, type SecretCipher, UnreadableSecret } from '../../../runtime/cipher.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { Pool, Transaction } from '../postgres.ts';
import { connectionRowName } from '../payments/processor-connections.ts';
import { endpointRowName } from '../webhooks/webhook-secrets.ts';

/** A row of the records that keeps secrets: what they are sealed for, and those of them that are still needed. */
export type SealedRow = { table: SealedTable; accountId: string; id: string; name: string; secrets: SealedSecret[] };

/** How many rows keep secrets, and those of which one can't be opened. */
export type SecretsCheck = { rows: number; unreadable: SealedRow[] };

type OlderSecret = { sealed: string; key_id: string; until: string };
type Line = Record<string, string | null> & { older_secrets?: OlderSecret[] };
type Kept = { id: string; nameOf(accountId: string, id: string): string; secretsOf(line: Line, now: Instant): Line[] };

const secret = (sealed: string | null | undefined, key_id: string | null | undefined): Line => ({
  sealed: sealed ?? '',
  key_id: key_id ?? '',
});

const TABLES = {
  webhook_endpoints: {
    id: 'webhook_endpoint_id',
    nameOf: endpointRowName,
    secretsOf: (line, now) => [
      secret(line.sealed_secret, line.key_id),
      ...(Date.parse(line.previous_until ?? '') > now
        ? [secret(line.previous_sealed_secret, line.previous_key_id)]
        : []),
      ...(line.older_secrets ?? [])
        .filter(({ until }) => Date.parse(until) > now)
        .map(({ sealed, key_id }) => secret(sealed, key_id)),
    ],
  },
  processor_connections: {
    id: 'provider',
    nameOf: connectionRowName,
    secretsOf: (line) => [secret(line.sealed_tokens, line.key_id)],
  },
} satisfies Record<string, Kept>;

export type SealedTable = keyof typeof TABLES;
export const SEALED_TABLES = Object.keys(TABLES) as SealedTable[];

const ROWS_AT_ONCE = 1_000;

/** Tries every secret of the records that is needed at `now`; nothing is changed. */
export async function checkSecrets(pool: Pool, cipher: SecretCipher, now: Instant): Promise<SecretsCheck> {
  const checks: SecretsCheck[] = [];
  for (const table of SEALED_TABLES) checks.push(await checkLines(table, linesOf(pool, table), cipher, now));
  return { rows: checks.reduce((sum, { rows }) => sum + rows, 0), unreadable: checks.flatMap((one) => one.unreadable) };
}

/** As {@link checkSecrets}, of rows as JSON lines: those of a backup, too. */
export async function checkLines(
  table: SealedTable,
  lines: AsyncIterable<string>,
  cipher: SecretCipher,
  now: Instant,
): Promise<SecretsCheck> {
  const check: SecretsCheck = { rows: 0, unreadable: [] };
  for await (const line of lines) {
    const row = rowFromLine(table, line, now);
    check.rows += 1;
    if (!isReadable(row, cipher)) check.unreadable.push(row);
  }
  return check;
}

/**
 * Takes the place of secrets that nobody can open: an endpoint gets a new one of `newSecret`, to be rolled by its owner, who does
 * not know it; a connection is gone, as if its owner had ended it.
 */
export async function replaceSecrets(
  tx: Transaction,
  rows: readonly SealedRow[],
  cipher: SecretCipher,
  newSecret: () => string,
): Promise<void> {
  for (const { table, accountId, id, name } of rows) {
    if (table === 'processor_connections') {
      await tx.query('DELETE FROM processor_connections WHERE account_id = $1 AND provider = $2', [accountId, id]);
      continue;
    }
    const { sealed, keyId } = cipher.seal(newSecret(), name);
    await tx.query(
      `UPDATE webhook_endpoints SET sealed_secret = $3, key_id = $4, previous_sealed_secret = NULL, previous_key_id = NULL,
         previous_until = NULL, older_secrets = '[]' WHERE account_id = $1 AND webhook_endpoint_id = $2`,
      [accountId, id, sealed, keyId],
    );
  }
}

function isReadable({ secrets, name }: SealedRow, cipher: SecretCipher): boolean {
  try {
    for (const one of secrets) cipher.open(one, name);
    return true;
  } catch (error) {
    if (error instanceof UnreadableSecret) return false;
    throw error;
  }
}

function rowFromLine(table: SealedTable, text: string, now: Instant): SealedRow {
  const { id: idColumn, nameOf, secretsOf }: Kept = TABLES[table];
  const line = parseJson(text) as Line;
  const [accountId, id] = [line.account_id ?? '', line[idColumn] ?? ''];
  const secrets = secretsOf(line, now).map(({ sealed, key_id }) => ({
    keyId: key_id ?? '',
    sealed: Buffer.from((sealed ?? '').replace(/^\\x/, ''), 'hex'),
  }));
  return { table, accountId, id, name: nameOf(accountId, id), secrets };
}

async function* linesOf(pool: Pool, table: SealedTable): AsyncGenerator<string> {
  const { id } = TABLES[table];
  for (let after = ['', '']; ; ) {
    const { rows } = await pool.query<{ line: string; account_id: string; id: string }>(
      `SELECT row_to_json(t)::text AS line, account_id, ${id} AS id FROM ${table} t
       WHERE (account_id, ${id}) > ($1, $2) ORDER BY account_id, ${id} LIMIT ${ROWS_AT_ONCE}`,
      after,
    );
    for (const { line } of rows) yield line;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    after = [last.account_id, last.id];
  }
}
