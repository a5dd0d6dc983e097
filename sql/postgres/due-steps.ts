import { type Boundary, STEP_RANK } from '../../billing/periods/schedule.ts';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { firstRow, type Transaction } from './postgres.ts';

/** Something that falls due on a test clock: `subject` names who does it, e.g. `subscription/<id>` (architecture#temporal). */
export type DueStep = { subject: string; kind: string; dueAt: Instant; rank: number };

type DueStepRow = { subject: string; kind: string; due_at: Instant; rank: number };

/**
 * Plans a step, in the transaction that causes it; replaces the subject's earlier step of that kind. Does nothing for
 * customers who live in real time: their workflows sleep until then.
 */
export async function planStep(
  tx: Transaction,
  step: DueStep & { accountId: string; testClockId: string | null },
): Promise<void> {
  if (step.testClockId === null) return;
  await tx.query(
    `INSERT INTO due_steps (account_id, test_clock_id, subject, kind, due_at, rank) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (account_id, subject, kind) DO UPDATE
     SET test_clock_id = excluded.test_clock_id, due_at = excluded.due_at, rank = excluded.rank`,
    [step.accountId, step.testClockId, step.subject, step.kind, isoFromInstant(step.dueAt), step.rank],
  );
}

/** Forgets every step planned for a subject, and how many: what it plans next is planned anew. */
export async function clearSteps(tx: Transaction, owner: { accountId: string; subject: string }): Promise<number> {
  const sql = 'DELETE FROM due_steps WHERE account_id = $1 AND subject = $2';
  return (await tx.query(sql, [owner.accountId, owner.subject])).rowCount ?? 0;
}

/**
 * Plans a subscription's next boundary in the place of its earlier ones, in the transaction that moves its life on;
 * `boundary` null: nothing is left to come. Does nothing for customers who live in real time.
 */
export async function planBoundary(
  tx: Transaction,
  owner: { accountId: string; testClockId: string | null; subscriptionId: string },
  boundary: Boundary | null,
): Promise<void> {
  const { accountId, testClockId } = owner;
  if (testClockId === null) return;
  const subject = `subscription/${owner.subscriptionId}`;
  await clearSteps(tx, { accountId, subject });
  if (boundary === null) return;
  const { kind, dueAt } = boundary;
  await planStep(tx, { accountId, testClockId, subject, kind, dueAt, rank: STEP_RANK[kind] });
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
