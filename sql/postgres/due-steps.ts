import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { firstRow, type Transaction } from './postgres.ts';

/** Something that falls due on a test clock: `subject` names who does it, e.g. `subscription/<id>` (architecture#temporal). */
export type DueStep = { subject: string; kind: string; dueAt: Instant; rank: number };

type DueStepRow = { subject: string; kind: string; due_at: Instant; rank: number };

/**
 * Plans steps of a customer, in the transaction that causes them; each replaces its subject's earlier step of that kind. Does nothing
 * for customers who live in real time: their workflows sleep until then.
 */
export async function planSteps(
  tx: Transaction,
  { accountId, testClockId }: { accountId: string; testClockId: string | null },
  steps: readonly DueStep[],
): Promise<void> {
  if (testClockId === null || steps.length === 0) return;
  await tx.query(
    `INSERT INTO due_steps (account_id, test_clock_id, subject, kind, due_at, rank)
     SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::timestamptz[], $6::int[])
     ON CONFLICT (account_id, subject, kind) DO UPDATE
     SET test_clock_id = excluded.test_clock_id, due_at = excluded.due_at, rank = excluded.rank`,
    [
      accountId,
      testClockId,
      steps.map(({ subject }) => subject),
      steps.map(({ kind }) => kind),
      steps.map(({ dueAt }) => isoFromInstant(dueAt)),
      steps.map(({ rank }) => rank),
    ],
  );
}

/** Forgets every step planned for these subjects: what they plan next is planned anew. */
export async function deleteSteps(tx: Transaction, accountId: string, subjects: readonly string[]): Promise<void> {
  if (subjects.length === 0) return;
  await tx.query('DELETE FROM due_steps WHERE account_id = $1 AND subject = ANY($2)', [accountId, subjects]);
}

/** Forgets every step of a test clock. */
export async function deleteStepsOfClock(tx: Transaction, accountId: string, testClockId: string): Promise<void> {
  await tx.query('DELETE FROM due_steps WHERE account_id = $1 AND test_clock_id = $2', [accountId, testClockId]);
}

/** Returns those of the subjects that have a step. */
export async function findPlannedSubjects(
  tx: Transaction,
  accountId: string,
  subjects: readonly string[],
): Promise<string[]> {
  const sql = 'SELECT subject FROM due_steps WHERE account_id = $1 AND subject = ANY($2)';
  return (await tx.query<Pick<DueStepRow, 'subject'>>(sql, [accountId, subjects])).rows.map(({ subject }) => subject);
}

/** The clock's first step due at or before `goal`: by instant, then rank, then subject (spec/test-clocks#advance). */
export async function findNextDueStep(
  tx: Transaction,
  accountId: string,
  testClockId: string,
  goal: Instant,
): Promise<DueStep | undefined> {
  const answer = await tx.query<DueStepRow>(
    `SELECT subject, kind, due_at, rank FROM due_steps
     WHERE account_id = $1 AND test_clock_id = $2 AND due_at <= $3
     ORDER BY due_at, rank, subject LIMIT 1`,
    [accountId, testClockId, isoFromInstant(goal)],
  );
  const row = firstRow(answer);
  return row && { subject: row.subject, kind: row.kind, dueAt: row.due_at, rank: row.rank };
}

/** The subjects of steps of that clock that are of the same kind and instant as one, `limit` at most, in the order of these. */
export async function listSubjectsAlike(
  tx: Transaction,
  { accountId, testClockId }: { accountId: string; testClockId: string },
  { kind, dueAt }: Pick<DueStep, 'kind' | 'dueAt'>,
  limit: number,
): Promise<string[]> {
  const { rows } = await tx.query<Pick<DueStepRow, 'subject'>>(
    `SELECT subject FROM due_steps WHERE account_id = $1 AND test_clock_id = $2 AND kind = $3 AND due_at = $4
     ORDER BY subject LIMIT $5`,
    [accountId, testClockId, kind, isoFromInstant(dueAt), limit],
  );
  return rows.map(({ subject }) => subject);
}
