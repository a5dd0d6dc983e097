import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { StreamConnection } from '../stream/connection.ts';
import type { UsageProgress } from '../stream/progress.ts';
import { loadStreamFill, PRESSED_AT, partFull, purgeLandings, purgeUsage } from '../stream/purge.ts';
import type { Audit } from './audit.ts';

/** The usage stream raises its alarm above this part of its size: nothing it holds may go, or not fast enough. */
export const ALARM_AT = 0.8;

/**
 * Above this for so long, what has landed goes even where it has not been audited: better an audit with a hole (it then has
 * more landed than accepted) than refused events.
 */
const UNAUDITED_AT = 0.9;
const UNAUDITED_AFTER_MS = 15_000;

/** Above this what is newer than the newest backup goes too: a backup can be taken again, a refused event is gone. */
const NOT_BACKED_UP_AT = 0.9;

/** Places in the landings stream kept below the last audited claim: some minutes of landing, for people. */
const KEPT_LANDINGS = 2_000;

/** Trimming them waits until this many more can go. */
const TRIM_STEP = 500;

/** What is merely old goes this often: a purge rewrites a block of the stream's files. */
const AGE_EVERY_MS = 60_000;

/** The alarm is repeated in the log after this, for as long as it lasts. */
const REMIND_MS = 60_000;

export type Bounded = {
  /** Purges what need not be kept; 'more' while the stream is under pressure and that helps. */
  runOnce(): Promise<'more' | undefined>;
};

type Source = {
  connection: StreamConnection;
  progress: Pick<UsageProgress, 'landedSequences'>;
  audit: Pick<Audit, 'auditedTo' | 'auditedClaims'>;
  clock: Clock;
  log: Log;
  /** For how long messages are kept after they have landed. */
  keepMs: number;
};

/** Keeps usage stream and landings bounded under endless load (architecture#the-edge-and-the-stream). */
export function createBounds({ connection, progress, audit, clock, log, keepMs }: Source): Bounded {
  let alarmedAt = Number.NEGATIVE_INFINITY;
  let fullSince = Number.POSITIVE_INFINITY;
  let agedAt = Number.NEGATIVE_INFINITY;
  const trimmedTo: number[] = [];

  async function runOnce() {
    const before = await loadStreamFill(connection);
    const isAgeDue = performance.now() - agedAt > AGE_EVERY_MS;
    if (!isAgeDue && partFull(before) < PRESSED_AT) return undefined;
    agedAt = performance.now();
    if (partFull(before) <= UNAUDITED_AT) fullSince = Number.POSITIVE_INFINITY;
    else fullSince = Math.min(fullSince, performance.now());
    const isAuditStuck = performance.now() - fullSince > UNAUDITED_AFTER_MS;
    if (isAuditStuck) log.error('the audit does not keep up: messages that were not audited are purged');
    const doneTo = isAuditStuck ? progress.landedSequences().sequences : audit.auditedTo();
    const ignoreBackup = partFull(before) > NOT_BACKED_UP_AT;
    if (ignoreBackup && before.backedUpTo !== null) {
      log.error({ ...before }, 'the usage stream is full: messages newer than the newest backup go; take a new backup');
    }
    const purged = await purgeUsage(connection, doneTo, clock.now() - keepMs, ignoreBackup);
    if (purged > 0) log.info({ purged, ...before }, 'landed messages were purged');
    await trimLandings();
    const fill = await loadStreamFill(connection);
    const isFull = partFull(fill) > ALARM_AT;
    if (isFull && performance.now() - alarmedAt > REMIND_MS) {
      alarmedAt = performance.now();
      log.error({ ...fill }, 'the usage stream is filling up: events will be refused when it is full');
    }
    return isFull && purged > 0 ? ('more' as const) : undefined;
  }

  /** The newest claim and landing of a partition lie above its last audited claim: these are never dropped. */
  async function trimLandings() {
    for (const [partition, place] of audit.auditedClaims().entries()) {
      const to = place - KEPT_LANDINGS;
      if (to < (trimmedTo[partition] ?? 0) + TRIM_STEP) continue;
      await purgeLandings(connection, partition, to);
      trimmedTo[partition] = to;
    }
  }

  return { runOnce };
}
