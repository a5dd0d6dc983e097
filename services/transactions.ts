import type { ClickHouseReader } from '../sql/clickhouse/clickhouse.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import type { Audited } from './audit/audited.ts';
import { type Stores, withUsage } from './usage/answered-usage.ts';

/**
 * How a use case that also asks others than Postgres opens its transactions, each of one account. The API passes its own,
 * which keep the answer of a call with an Idempotency-Key in the transaction that does it.
 */
export type Transactions = {
  /** For what only reads. */
  read<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** What it has done stands in the audit log, by the same transaction; resolves with what the caller is answered. */
  write<T>(work: (tx: Transaction) => Promise<Audited<T>>): Promise<T>;
  /** As {@link read} and {@link write}, for what tells the record of a subscription ({@link withUsage}). */
  readWithUsage<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  writeWithUsage<T>(work: (stores: Stores) => Promise<Audited<T>>): Promise<T>;
};

/** What reads and writes records, and the same with usage. */
export function addUsage(
  clickhouse: ClickHouseReader,
  { read, write }: Pick<Transactions, 'read' | 'write'>,
): Transactions {
  return {
    read,
    write,
    readWithUsage: (work) => withUsage(clickhouse, (usage) => read((tx) => work({ tx, usage }))),
    writeWithUsage: (work) => withUsage(clickhouse, (usage) => write((tx) => work({ tx, usage }))),
  };
}
