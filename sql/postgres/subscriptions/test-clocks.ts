import { conflict } from '../../../core/domain-error.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { currentTraceContext, type TraceContext } from '../../../runtime/tracing.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { firstRow, type Pool, type Transaction } from '../postgres.ts';

/** A clock that customers of a test account live on (spec/test-clocks#time). `goalTime` is null exactly when it is ready. */
export type TestClock = {
  testClockId: string;
  name: string | null;
  frozenTime: Instant;
  goalTime: Instant | null;
  status: 'ready' | 'advancing' | 'failed';
};

type TestClockRow = {
  test_clock_id: string;
  name: string | null;
  frozen_time: Instant;
  goal_time: Instant | null;
  status: TestClock['status'];
};

const COLUMNS = 'test_clock_id, name, frozen_time, goal_time, status';
const ONE = 'account_id = $1 AND test_clock_id = $2';

/** Stores a new clock, ready. `createdAt` is real time. */
export async function insertTestClock(
  tx: Transaction,
  accountId: string,
  clock: Pick<TestClock, 'testClockId' | 'name' | 'frozenTime'>,
  createdAt: Instant,
): Promise<void> {
  await tx.query(
    `INSERT INTO test_clocks (account_id, test_clock_id, name, frozen_time, status, created_at)
     VALUES ($1, $2, $3, $4, 'ready', $5)`,
    [accountId, clock.testClockId, clock.name, isoFromInstant(clock.frozenTime), isoFromInstant(createdAt)],
  );
}

/** Returns how many clocks the account has. No other transaction makes one until this one ends. */
export async function countTestClocks(tx: Transaction, accountId: string): Promise<number> {
  await tx.query('SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE', [accountId]);
  const sql = 'SELECT count(*)::int AS clocks FROM test_clocks WHERE account_id = $1 AND deleted_at IS NULL';
  return firstRow(await tx.query<{ clocks: number }>(sql, [accountId]))?.clocks ?? 0;
}

/** The clock, or undefined where it does not exist or was deleted. */
export async function findTestClock(tx: Transaction, accountId: string, id: string): Promise<TestClock | undefined> {
  const sql = `SELECT ${COLUMNS} FROM test_clocks WHERE ${ONE} AND deleted_at IS NULL`;
  const row = firstRow(await tx.query<TestClockRow>(sql, [accountId, id]));
  return row && testClockFromRow(row);
}

/** What time it is on each of an account's clocks, by id; none of them goes on until the transaction ends. */
export async function lockClocksForShare(tx: Transaction, accountId: string): Promise<Record<string, Instant>> {
  const { rows } = await tx.query<Pick<TestClockRow, 'test_clock_id' | 'frozen_time'>>(
    `SELECT test_clock_id, frozen_time FROM test_clocks WHERE account_id = $1 AND deleted_at IS NULL
     ORDER BY test_clock_id FOR SHARE`,
    [accountId],
  );
  return Object.fromEntries(rows.map((row) => [row.test_clock_id, row.frozen_time]));
}

/** As {@link findTestClock}, and nobody else changes the clock or its customers until the transaction ends. */
export async function lockTestClock(tx: Transaction, accountId: string, id: string): Promise<TestClock | undefined> {
  const sql = `SELECT ${COLUMNS} FROM test_clocks WHERE ${ONE} AND deleted_at IS NULL FOR UPDATE`;
  const row = firstRow(await tx.query<TestClockRow>(sql, [accountId, id]));
  return row && testClockFromRow(row);
}

/** One page of an account's clocks, newest first. */
export function listTestClocks(tx: Transaction, accountId: string, window: PageWindow): Promise<PageOf<TestClock>> {
  const where = [['t.deleted_at IS NULL']] as const;
  const list = { select: COLUMNS, table: ['test_clocks', 't'], equals: { account_id: accountId }, where } as const;
  return findPage(tx, list, window, testClockFromRow);
}

/**
 * Makes sure that a change to a customer may be made now, and returns that customer's time: the frozen time of its
 * clock, kept still until the transaction ends, or null for one who lives in real time (`testClockId` null).
 * @throws DomainError `conflict` while the clock advances, and for ever when it failed or was deleted (spec/test-clocks#advance).
 */
export async function assertClockReady(
  tx: Transaction,
  accountId: string,
  testClockId: string | null,
): Promise<Instant | null> {
  const clock = await lockClockForShare(tx, accountId, testClockId);
  if (clock === null) return null;
  if (clock.deleted_at !== null) throw conflict(`The customer's test clock ${testClockId} has been deleted.`);
  if (clock.status !== 'ready') throw conflict(`The customer's test clock ${testClockId} is ${clock.status}.`);
  return clock.frozen_time;
}

/**
 * As {@link assertClockReady} for what must be possible also on a clock that failed or was deleted: only one that advances
 * is refused.
 */
export async function assertClockStands(
  tx: Transaction,
  accountId: string,
  testClockId: string | null,
): Promise<Instant | null> {
  const clock = await lockClockForShare(tx, accountId, testClockId);
  if (clock?.status === 'advancing' && clock.deleted_at === null) {
    throw conflict(`The customer's test clock ${testClockId} is advancing.`);
  }
  return clock?.frozen_time ?? null;
}

/** The clock's row, also where it was deleted, kept as it is until the transaction ends. */
async function lockClockForShare(tx: Transaction, accountId: string, testClockId: string | null) {
  if (testClockId === null) return null;
  const answer = await tx.query<TestClockRow & { deleted_at: Instant | null }>(
    `SELECT ${COLUMNS}, deleted_at FROM test_clocks WHERE ${ONE} FOR SHARE`,
    [accountId, testClockId],
  );
  const clock = firstRow(answer);
  if (!clock) throw new Error(`test clock ${testClockId} is missing`);
  return clock;
}

/** The clock starts to advance to `goal`; if it `waits`, once few enough clocks of its account advance. */
export async function updateClockAdvancing(
  tx: Transaction,
  accountId: string,
  id: string,
  goal: Instant,
  { waits = false } = {},
): Promise<void> {
  const sql = `UPDATE test_clocks SET status = 'advancing', goal_time = $3, waits = $4, trace_context = $5 WHERE ${ONE}`;
  await tx.query(sql, [accountId, id, isoFromInstant(goal), waits, currentTraceContext()]);
}

/**
 * The clock goes to no further step: its goal lies before its time, so that nothing is due up to it, and it arrives where it stands. A
 * worker of a release before takes that as any goal. One that waits has arrived. Returns how the clock stands.
 */
export async function updateClockStopping(
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<TestClock | undefined> {
  const answer = await tx.query<TestClockRow>(
    `UPDATE test_clocks SET goal_time = CASE WHEN NOT waits THEN frozen_time - interval '1 millisecond' END,
       status = CASE WHEN waits THEN 'ready' ELSE status END, waits = false
     WHERE ${ONE} AND status = 'advancing' RETURNING ${COLUMNS}`,
    [accountId, id],
  );
  const row = firstRow(answer);
  return row && testClockFromRow(row);
}

/**
 * Claims clocks that wait to advance, each with the trace of the call that asks for it, until the transaction ends: so many that at most
 * `atOnce` of the account advance. Transactions that claim clocks of one account wait for each other, since neither sees what the other has
 * claimed.
 */
export async function claimWaitingClocks(
  tx: Transaction,
  accountId: string,
  atOnce: number,
): Promise<{ testClockId: string; traceContext: TraceContext | null }[]> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('test clocks of ' || $1, 0))", [accountId]);
  const { rows } = await tx.query<Pick<TestClockRow, 'test_clock_id'> & { trace_context: TraceContext | null }>(
    `SELECT test_clock_id, trace_context FROM test_clocks
     WHERE account_id = $1 AND status = 'advancing' AND deleted_at IS NULL AND waits ORDER BY test_clock_id
     LIMIT greatest(0, $2 - (SELECT count(*) FROM test_clocks
       WHERE account_id = $1 AND status = 'advancing' AND deleted_at IS NULL AND NOT waits))
     FOR UPDATE SKIP LOCKED`,
    [accountId, atOnce],
  );
  return rows.map((row) => ({ testClockId: row.test_clock_id, traceContext: row.trace_context }));
}

/** The clocks wait no longer: their workflows have been told. */
export async function updateClocksStarted(tx: Transaction, accountId: string, ids: string[]): Promise<void> {
  const sql = 'UPDATE test_clocks SET waits = false WHERE account_id = $1 AND test_clock_id = ANY($2)';
  await tx.query(sql, [accountId, ids]);
}

/** Returns the accounts that have clocks waiting to advance. */
export async function listAccountsWithWaitingClocks(pool: Pool): Promise<string[]> {
  const answer = await pool.query<{ account_id: string }>(
    "SELECT DISTINCT account_id FROM test_clocks WHERE status = 'advancing' AND deleted_at IS NULL AND waits",
  );
  return answer.rows.map(({ account_id }) => account_id);
}

/** Whether the clock ends after the step under way. */
export function isStopping({ status, goalTime, frozenTime }: TestClock): boolean {
  return status === 'advancing' && goalTime !== null && goalTime < frozenTime;
}

/** The clock now stands at `instant`; it never goes backwards. */
export async function updateClockTime(tx: Transaction, accountId: string, id: string, instant: Instant): Promise<void> {
  const sql = `UPDATE test_clocks SET frozen_time = greatest(frozen_time, $3) WHERE ${ONE}`;
  await tx.query(sql, [accountId, id, isoFromInstant(instant)]);
}

/** The clock has arrived: it stands at its goal and is ready. */
export async function updateClockArrived(tx: Transaction, accountId: string, id: string): Promise<void> {
  await tx.query(
    `UPDATE test_clocks SET frozen_time = greatest(frozen_time, goal_time), goal_time = NULL, status = 'ready', waits = false
     WHERE ${ONE} AND status = 'advancing'`,
    [accountId, id],
  );
}

/** The clock stopped where a step failed for good; it keeps its goal, and may be advanced again. */
export async function updateClockFailed(tx: Transaction, accountId: string, id: string): Promise<void> {
  await tx.query(`UPDATE test_clocks SET status = 'failed', waits = false WHERE ${ONE} AND status = 'advancing'`, [
    accountId,
    id,
  ]);
}

/** Deletes a clock: its row stays, and its time no longer moves. */
export async function deleteTestClock(tx: Transaction, accountId: string, id: string, at: Instant): Promise<void> {
  await tx.query(`UPDATE test_clocks SET deleted_at = $3 WHERE ${ONE}`, [accountId, id, isoFromInstant(at)]);
}

/** Whether a customer on the clock has a subscription that is pending, active or paused. */
export async function hasLiveSubscription(tx: Transaction, accountId: string, id: string): Promise<boolean> {
  const answer = await tx.query(
    `SELECT 1 FROM subscriptions s JOIN customers c USING (account_id, customer_id)
     WHERE s.account_id = $1 AND c.test_clock_id = $2 AND s.status IN ('pending', 'active', 'paused') LIMIT 1`,
    [accountId, id],
  );
  return answer.rowCount !== 0;
}

/** Keeps every clock of the account as it is until the transaction ends; answers the first one that is advancing, if any. */
export async function lockTestClocksForShare(tx: Transaction, accountId: string): Promise<TestClock | undefined> {
  const answer = await tx.query<TestClockRow>(
    `SELECT ${COLUMNS} FROM test_clocks WHERE account_id = $1 AND deleted_at IS NULL FOR SHARE`,
    [accountId],
  );
  const advancing = answer.rows.find((row) => row.status === 'advancing');
  return advancing && testClockFromRow(advancing);
}

/** Clocks of every account that Postgres says are advancing and do not wait, for the reconcile sweep. */
export async function listAdvancingClocks(pool: Pool): Promise<{ accountId: string; testClockId: string }[]> {
  const answer = await pool.query<{ account_id: string; test_clock_id: string }>(
    "SELECT account_id, test_clock_id FROM test_clocks WHERE status = 'advancing' AND deleted_at IS NULL AND NOT waits",
  );
  return answer.rows.map((row) => ({ accountId: row.account_id, testClockId: row.test_clock_id }));
}

function testClockFromRow(row: TestClockRow): TestClock {
  return {
    testClockId: row.test_clock_id,
    name: row.name,
    frozenTime: row.frozen_time,
    goalTime: row.goal_time,
    status: row.status,
  };
}
