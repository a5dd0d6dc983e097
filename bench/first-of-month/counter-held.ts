import type { Pool } from '../../sql/postgres/postgres.ts';

/** Between two looks at the counter: what it is held for is known to twice this. */
const LOOK_MS = 1;
/** Who has held it so long is asked what it waits for: to ask that takes Postgres longer than a look. */
const LONG_MS = 10;
const LOOKS = 100;

/**
 * Looks, within Postgres, at who holds the account's invoice counter: a transaction that has changed the row, from the first look
 * that finds it until the last before it has ended, with its commit. In rounds, since what is open for long keeps dead rows. Ids of
 * transactions have had no second epoch in a stack that was made for this. What the holder waits for is null in a look that has not asked.
 */
const LOOK = `CREATE FUNCTION bench_look(account text) RETURNS TABLE (xid text, seen timestamptz, waits_for text) LANGUAGE plpgsql AS $$
DECLARE
  holder text := '';
  since timestamptz;
BEGIN
  FOR i IN 1..${LOOKS} LOOP
    xid := (SELECT xmax::text FROM invoice_counters WHERE account_id = account);
    IF xid <> '0' AND pg_xact_status(xid::xid8) = 'in progress' THEN
      seen := clock_timestamp();
      IF holder <> xid THEN
        holder := xid;
        since := seen;
      END IF;
      waits_for := NULL;
      IF seen - since > interval '${LONG_MS} milliseconds' THEN
        PERFORM pg_stat_clear_snapshot();
        waits_for := (SELECT coalesce(wait_event, '') FROM pg_stat_get_activity(NULL) WHERE backend_xid::text = bench_look.xid);
      END IF;
      RETURN NEXT;
    END IF;
    PERFORM pg_sleep(${LOOK_MS / 1000});
  END LOOP;
END $$`;

/** Milliseconds for which transactions held the counter, and how many looks at who held it for long found it waiting for what; '' is a core, or nothing. */
export type CounterHeld = { ms: number[]; looks: Record<string, number> };

/** Watches the counter until `stop` is called. */
export async function watchCounter(postgres: Pool, accountId: string): Promise<{ stop(): Promise<CounterHeld> }> {
  await postgres.query('DROP FUNCTION IF EXISTS bench_look(text)');
  await postgres.query(LOOK);
  const held = new Map<string, { first: number; last: number }>();
  const looks: CounterHeld['looks'] = {};
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await postgres.query<{ xid: string; ms: string; waits_for: string | null }>(
        'SELECT xid, extract(epoch FROM seen) * 1000 AS ms, waits_for FROM bench_look($1)',
        [accountId],
      );
      for (const { xid, ms, waits_for } of rows) {
        if (waits_for !== null) looks[waits_for] = (looks[waits_for] ?? 0) + 1;
        const at = Number(ms);
        held.set(xid, { first: held.get(xid)?.first ?? at, last: at });
      }
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await watching;
      return { ms: [...held.values()].map(({ first, last }) => last - first), looks };
    },
  };
}
