import type { Log } from '../../runtime/log.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { deleteOutdated, RETENTIONS } from '../../sql/postgres/retention.ts';

/** Small, so that no lock is held for long and nothing else waits behind a sweep. */
const BATCH = 500;

/** Deletes a batch of each kind of thing whose time is over (operations/retention.md); 'more' where there may be more. */
export async function sweepOutdatedOnce({ postgres, log }: { postgres: Pool; log: Log }): Promise<'more' | undefined> {
  let isMore = false;
  for (const retention of RETENTIONS) {
    const deleted = await deleteOutdated(postgres, retention, BATCH);
    if (deleted > 0) log.info({ deleted, what: retention.what, kept: retention.kept }, 'outdated rows were deleted');
    isMore ||= deleted === BATCH;
  }
  return isMore ? 'more' : undefined;
}
