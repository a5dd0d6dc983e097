import type { Pool } from '../../sql/postgres/postgres.ts';

/** Between two looks at the counter: what it is held for is known to twice this. */
const LOOK_MS = 1;
const LOOKS = 100;

/**
 * Looks, within Postgres, at who holds the account's invoice counter: a transaction that has changed the row, from the first look
 * that finds it until the last before it has ended, with its commit. In rounds, since what is open for long keeps dead rows. Ids of
 * transactions have had no second epoch in a stack that was made for this. `sched`: for how long the holder's connection has run, and has
 * waited for a core, in ns, as Linux counts it; it is read once more behind the end, where `seen` is null, since it lags while a process runs.
 */
const LOOK = `CREATE FUNCTION bench_look(account text) RETURNS TABLE (xid text, seen timestamptz, sched text) LANGUAGE plpgsql AS $$
DECLARE
  now_held text;
  holder_pid int;
BEGIN
  FOR i IN 1..${LOOKS} LOOP
    now_held := (SELECT xmax::text FROM invoice_counters WHERE account_id = account);
    IF now_held = '0' OR pg_xact_status(now_held::xid8) <> 'in progress' THEN
      now_held := NULL;
    END IF;
    IF now_held IS DISTINCT FROM xid THEN
      IF xid IS NOT NULL THEN
        seen := NULL;
        sched := pg_read_file('/proc/' || holder_pid || '/schedstat', true);
        RETURN NEXT;
      END IF;
      xid := now_held;
      seen := clock_timestamp();
      PERFORM pg_stat_clear_snapshot();
      holder_pid := (SELECT pid FROM pg_stat_get_activity(NULL) WHERE backend_xid::text = now_held);
    ELSE
      seen := clock_timestamp();
    END IF;
    IF xid IS NOT NULL THEN
      sched := pg_read_file('/proc/' || holder_pid || '/schedstat', true);
      RETURN NEXT;
    END IF;
    PERFORM pg_sleep(${LOOK_MS / 1000});
  END LOOP;
END $$`;

/**
 * A transaction that held the counter: for how many milliseconds, and of what its connection did from the first look until the one behind
 * the end, some milliseconds longer, how many it ran and how many it waited for a core.
 */
export type CounterHold = { ms: number; ran: number; waited: number };

type Looks = { seen: number[]; ran: number[]; waited: number[] };

/** Watches the counter until `stop` is called. */
export async function watchCounter(postgres: Pool, accountId: string): Promise<{ stop(): Promise<CounterHold[]> }> {
  await postgres.query('DROP FUNCTION IF EXISTS bench_look(text)');
  await postgres.query(LOOK);
  const held = new Map<string, Looks>();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await postgres.query<{ xid: string; ms: string | null; sched: string | null }>(
        'SELECT xid, extract(epoch FROM seen) * 1000 AS ms, sched FROM bench_look($1)',
        [accountId],
      );
      for (const { xid, ms, sched } of rows) {
        const looks = held.get(xid) ?? { seen: [], ran: [], waited: [] };
        held.set(xid, looks);
        if (ms !== null) looks.seen.push(Number(ms));
        const [ran, waited] = (sched ?? '').split(' ');
        if (!ran || !waited) continue;
        looks.ran.push(Number(ran) / 1e6);
        looks.waited.push(Number(waited) / 1e6);
      }
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await watching;
      return [...held.values()].map(({ seen, ran, waited }) => ({
        ms: spanOf(seen),
        ran: spanOf(ran),
        waited: spanOf(waited),
      }));
    },
  };
}

function spanOf(values: number[]): number {
  return (values.at(-1) ?? 0) - (values[0] ?? 0);
}
