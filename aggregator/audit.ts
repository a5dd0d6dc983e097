import type { ClickHouseClient } from '@clickhouse/client';
import type { Instant } from '../core/instants.ts';
import type { Log } from '../runtime/log.ts';
import { type HourAudit, insertAudit, listMissingEvents, loadAuditedTo } from '../sql/clickhouse/usage/usage-audit.ts';
import type { Claim } from '../stream/claims.ts';
import type { StreamConnection } from '../stream/connection.ts';
import { countAccepted } from '../stream/count-accepted.ts';
import type { UsageProgress } from '../stream/progress.ts';
import { readClaims } from '../stream/read-claims.ts';
import { loadFirstSequence } from '../stream/streams.ts';
import { readUsageGroups, type UsageGroup } from '../stream/usage-groups.ts';

export type Audit = {
  /** Audits what has landed since the last time, a bounded part of it; 'more' when there is more. */
  runOnce(): Promise<'more' | undefined>;
  /** What each partition has been audited up to, as of the last round. */
  auditedTo(): number[];
  /** Place in the landings stream, per partition, of the last claim that has been audited in this run; 0 for none. */
  auditedClaims(): number[];
};

export type AuditSource = {
  connection: StreamConnection;
  clickhouse: ClickHouseClient;
  progress: UsageProgress;
  /** The partitions that this process lands and so audits; all where none are named. */
  partitions?: readonly number[] | undefined;
  log: Log;
  /** Hears the sums of each audited run. */
  onAudited(hours: HourAudit[]): void;
  /** Hears how many events are missing in all, whenever that was looked up. */
  onMissing(missing: number): void;
};

/** Small reads: nothing else of this process waits long for one. */
const PER_READ = { maxMessages: 1_000, maxBytes: 2 ** 20 };

/** What one round walks at most, so that its counts stay one small insert. */
const ROUND_BYTES = 32 * 2 ** 20;

/** Missing events are shouted about again after this, for as long as there are any. */
const REMIND_MS = 300_000;

const SHOWN_IN_LOG = 10;

/**
 * The continuous audit (`GET /api/ingestion/audit`): of every run of messages that has landed it counts what the edge accepted, from the stream's
 * messages themselves, and what became of it, from the claims, and keeps both per account and hour of receipt.
 */
export function createAudit(source: AuditSource): Audit {
  const { clickhouse, progress, log } = source;
  const { sequences } = progress.landedSequences();
  let auditedTo = sequences.map(() => 0);
  const claims = sequences.map(() => 0);
  let missing = { total: 0, at: Number.NEGATIVE_INFINITY };

  const isOwn = (partition: number) => source.partitions?.includes(partition) ?? true;
  const hasLooked = () => missing.at !== Number.NEGATIVE_INFINITY;

  async function look() {
    const found = await listMissingEvents(clickhouse, SHOWN_IN_LOG);
    missing = { total: found.total, at: performance.now() };
    source.onMissing(found.total);
    if (found.total > 0) log.error({ missing: found.total, newest: found.newest }, 'accepted events are missing');
  }

  async function runOnce() {
    const landed = progress.landedSequences();
    const isReminderDue = missing.total > 0 && performance.now() - missing.at > REMIND_MS;
    const isIdle = landed.sequences.every((to, partition) => !isOwn(partition) || to <= (auditedTo[partition] ?? 0));
    if (isIdle && !isReminderDue && hasLooked()) return undefined;
    const kept = await loadAuditedTo(clickhouse, landed.epoch, landed.sequences.length);
    // Another auditor's shorter run was kept in the place of ours: what is behind it is read again.
    for (const [partition, to] of auditedTo.entries()) if ((kept[partition] ?? 0) < to) claims[partition] = 0;
    auditedTo = kept;
    let [isMore, isBalanced] = [false, true];
    for (const [partition, landedTo] of landed.sequences.entries()) {
      if (!isOwn(partition)) continue;
      const from = { partition, epoch: landed.epoch, after: auditedTo[partition] ?? 0, place: claims[partition] ?? 0 };
      const run = await auditRun(source, { ...from, landedTo });
      if (!run) continue;
      await insertAudit(clickhouse, { epoch: landed.epoch, partition, after: run.after, to: run.to }, run.hours);
      source.onAudited(run.hours);
      claims[partition] = run.place;
      auditedTo[partition] = run.to;
      isMore ||= run.to < landedTo;
      isBalanced &&= run.hours.every(balances);
    }
    if (!isBalanced || isReminderDue || !hasLooked()) await look();
    return isMore ? ('more' as const) : undefined;
  }

  return { runOnce, auditedTo: () => auditedTo, auditedClaims: () => claims };
}

type Start = { partition: number; epoch: number; after: number; landedTo: number; place: number };
type Run = { after: number; to: number; place: number; hours: HourAudit[] };

/** Counts a run of whole claims after what has been audited; undefined where there is none. */
async function auditRun(source: AuditSource, start: Start): Promise<Run | undefined> {
  const { connection } = source;
  const { partition, landedTo } = start;
  if (start.after >= landedTo) return undefined;
  const claims = await readClaims(connection, partition, start.place + 1);
  const own = claims.filter(({ claim }) => claim.epoch === start.epoch && claim.to <= landedTo);
  const next = own.filter(({ claim }) => claim.to > start.after);
  const last = claims.at(-1);
  if (next.length === 0) {
    // Older claims than what has been audited: on to the next ones. A claim that has not landed is waited for.
    const isOld = last && (last.claim.epoch !== start.epoch || last.claim.to <= start.after);
    return isOld ? auditRun(source, { ...start, place: last.place }) : undefined;
  }

  // Never audited: older claims than those that are there cannot be.
  const after = start.after > 0 ? start.after : (next[0]?.claim.from ?? 1) - 1;
  const tally = createTally();
  let [bytes, walked, place] = [0, after, 0];
  for (const stored of next) {
    bytes += await walk(connection, stored.claim, walked, tally);
    tally.addClaim(stored.claim);
    walked = stored.claim.to;
    place = stored.place;
    if (bytes >= ROUND_BYTES) break;
  }
  return { after, to: walked, place, hours: tally.hours() };
}

/** Counts the messages of the claim's partition after `after` up to the claim's last one; answers their bytes. */
async function walk(connection: StreamConnection, claim: Claim, after: number, tally: Tally): Promise<number> {
  const dead = new Set(claim.dead);
  let [next, bytes] = [after + 1, 0];
  while (next <= claim.to) {
    const groups = await readUsageGroups(connection, claim.partition, next, PER_READ);
    const mine = groups.filter(({ sequence }) => sequence <= claim.to);
    for (const group of mine) {
      tally.addMessage(group, dead.has(group.sequence));
      bytes += group.data.length;
    }
    if (groups.length === 0 && next >= (await loadFirstSequence(connection.jsm))) {
      throw new Error(`message ${next} has landed and cannot be read: a replica lags, the next round reads it`);
    }
    if (mine.length < groups.length || groups.length === 0) break;
    next = (mine.at(-1)?.sequence ?? claim.to) + 1;
  }
  return bytes;
}

type Tally = ReturnType<typeof createTally>;

function createTally() {
  const byKey = new Map<string, HourAudit>();

  function at(accountId: string, hour: Instant): HourAudit {
    const key = `${hour} ${accountId}`;
    const known = byKey.get(key);
    if (known) return known;
    const made = { accountId, hour, accepted: 0, landed: 0, repeated: 0, deadLettered: 0 };
    byKey.set(key, made);
    return made;
  }

  /** A message replayed from the dead letters was accepted when it first came; now it is no dead letter any more. */
  function addMessage({ data, isReplay }: UsageGroup, isDead: boolean) {
    for (const { accountId, hour, events } of countAccepted(data)) {
      const counts = at(accountId, hour);
      if (isReplay) counts.deadLettered -= events;
      else counts.accepted += events;
      if (isDead) counts.deadLettered += events;
    }
  }

  function addClaim(claim: Claim) {
    for (const { account_id, hour, accepted, repeated } of claim.counts) {
      const counts = at(account_id, hour);
      counts.landed += accepted - repeated;
      counts.repeated += repeated;
    }
  }

  return { addMessage, addClaim, hours: () => [...byKey.values()] };
}

function balances({ accepted, landed, repeated, deadLettered }: HourAudit): boolean {
  return accepted === landed + repeated + deadLettered;
}
