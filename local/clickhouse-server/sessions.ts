import { drainPending, Session } from 'chdb';
import { exception, Refusal } from './exception.ts';
import { Killer } from './killer.ts';
import { type Lane, literal } from './sql-text.ts';

/** One request, as the engine is to run it. */
export type Work = {
  sql: string;
  lane: Lane;
  database: string;
  settings: ReadonlyMap<string, string>;
  parameters: ReadonlyMap<string, string>;
  /** The output format where the statement names none. */
  format: string;
  marksSession: boolean;
  /** Aborted when the client went away: work not yet begun is then dropped, a read that runs is killed. */
  signal: AbortSignal;
};

export type Outcome = { bytes: Uint8Array; rows: number; bytesRead: number; elapsedNs: number };

/** Sessions per lane. One session runs one query at a time; an insert never waits behind a scan or a mutation (architecture#clickhouse). */
const LANE_SIZE: Record<Lane, number> = { query: 8, insert: 1, change: 1 };
/** More waiting requests than this in a lane are refused, as a production server does at `max_concurrent_queries`. */
const MAX_WAITING = 1000;

/** The limits of a read, unless the request sets its own: a scan that went wrong must end by itself while its client waits. */
const QUERY_LIMITS: [string, string][] = [
  ['max_execution_time', '60'],
  ['max_memory_usage', String(4 * 2 ** 30)],
];
/**
 * No machine code is made for a form of question that comes again: a read of four million events takes as long without it (0.94 to 1.05), and
 * where forms are many, as in tests, it takes a tenth of the engine's processor time.
 */
const NOT_COMPILED: [string, string][] = [
  ['compile_expressions', '0'],
  ['compile_aggregate_expressions', '0'],
];
/** A batch that is acknowledged before it is written would be lost by a crash: 26.x turns this on by default. */
const EVERY_LANE: [string, string][] = [['async_insert', '0']];

/**
 * A text no type reads as a value: what a parameter is set to after its query, since a session cannot forget one. A later
 * query that forgot to pass it then fails (457) instead of silently using another request's value.
 */
const NO_VALUE = '\t';
const DEFAULT = 'DEFAULT';

const MAX_QUERY_SIZE = 'max_query_size';
/** Characters of a SET that is parsed whatever the session's bound is: a quarter of the default, for text of four bytes each. */
const LONG_SET = 60_000;

/** `settings` and `parameters` are what the session has now, by name. */
type Slot = {
  session: Session | null;
  database: string;
  settings: Map<string, string>;
  parameters: Map<string, string>;
};
/** A request that waits for a slot; null tells it that the server stops. */
type Waiting = { begin(slot: Slot | null): void; signal: AbortSignal };
type LaneState = { free: Slot[]; waiting: Waiting[]; defaults: ReadonlyMap<string, string> };

/** The engine of one data directory behind a fixed number of sessions; settings, parameters and database are each request's own. */
export class Sessions {
  readonly #path: string;
  readonly #connectionArgs: string[];
  readonly #lanes: Record<Lane, LaneState>;
  /** Holds the directory open however the other sessions come and go. */
  readonly #keeper: Session;
  readonly #killer: Killer;
  #running = 0;
  #whenIdle: (() => void)[] = [];
  #closing = false;

  /**
   * Opens the directory at once: throws where another process has it. `maxThreads` is per read. `connectionArgs`: of the
   * engine's command line.
   */
  constructor(path: string, maxThreads: number, connectionArgs: string[]) {
    this.#path = path;
    this.#connectionArgs = connectionArgs;
    const reads = new Map([...EVERY_LANE, ...QUERY_LIMITS, ...NOT_COMPILED, ['max_threads', String(maxThreads)]]);
    const lane = (size: number, defaults: Map<string, string>): LaneState => ({
      free: Array.from({ length: size }, emptySlot),
      waiting: [],
      defaults,
    });
    const writes = new Map(EVERY_LANE);
    this.#lanes = {
      query: lane(LANE_SIZE.query, reads),
      insert: lane(LANE_SIZE.insert, writes),
      change: lane(LANE_SIZE.change, writes),
    };
    this.#keeper = this.#open();
    this.#killer = new Killer(this.#keeper);
  }

  /** Runs one request in its lane, in order of arrival. Rejects with the engine's own error, or a Refusal. */
  async run(work: Work): Promise<Outcome> {
    const lane = this.#lanes[work.lane];
    const slot = await this.#take(lane, work.signal);
    this.#running += 1;
    let clean = false;
    try {
      const session = await this.#prepare(slot, lane.defaults, work);
      const run = (sql: string) => session.queryAsync(sql, { format: work.format });
      const result = await (work.lane === 'query' ? this.#killer.guard(work.sql, work.signal, run) : run(work.sql));
      // What failed half way may have left rows in its session, which would come before the next answer.
      clean = !work.marksSession;
      const elapsedNs = Math.round(result.elapsed * 1e9);
      return { bytes: result.bytes(), rows: result.rowsRead, bytesRead: result.bytesRead, elapsedNs };
    } finally {
      if (!clean) retire(slot);
      this.#running -= 1;
      this.#give(lane, slot);
    }
  }

  /** Runs a query in a separate session, so that long requests do not make the engine look unhealthy. */
  async check(): Promise<void> {
    await this.#keeper.queryAsync('EXISTS DATABASE default');
  }

  /** Refuses what waits, waits for what runs, then closes the engine. */
  async close(): Promise<void> {
    this.#closing = true;
    const lanes = Object.values(this.#lanes);
    for (const lane of lanes) for (const waiting of lane.waiting.splice(0)) waiting.begin(null);
    if (this.#running > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    for (const lane of lanes) lane.free.forEach(retire);
    await this.#killer.idle();
    this.#keeper.close();
    await drainPending();
  }

  #open(): Session {
    return new Session(this.#path, { connectionArgs: this.#connectionArgs });
  }

  async #take(lane: LaneState, signal: AbortSignal): Promise<Slot> {
    const free = this.#closing ? undefined : lane.free.pop();
    if (free) return free;
    if (lane.waiting.length >= MAX_WAITING) {
      throw new Refusal(exception(202, 'Too many simultaneous queries.', 'TOO_MANY_SIMULTANEOUS_QUERIES'));
    }
    const slot = this.#closing ? null : await new Promise<Slot | null>((begin) => lane.waiting.push({ begin, signal }));
    if (!slot) throw new Refusal(exception(236, 'The server is stopping, or the client went away.', 'ABORTED'));
    return slot;
  }

  #give(lane: LaneState, slot: Slot) {
    let next = lane.waiting.shift();
    while (next?.signal.aborted) {
      next.begin(null);
      next = lane.waiting.shift();
    }
    if (next) next.begin(slot);
    else lane.free.push(slot);
    if (this.#running === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Makes the session what this request asks for and takes back what earlier ones left: by one SET, or none. */
  async #prepare(slot: Slot, defaults: ReadonlyMap<string, string>, work: Work): Promise<Session> {
    slot.session ??= this.#open();
    const session = slot.session;
    const restored = [...slot.settings.keys()].map((name): [string, string] => [name, defaults.get(name) ?? DEFAULT]);
    const settings = differences(slot.settings, new Map([...restored, ...defaults, ...work.settings]));
    const forgotten = [...slot.parameters.keys()].map((name): [string, string] => [name, NO_VALUE]);
    const parameters = differences(slot.parameters, new Map([...forgotten, ...work.parameters]));
    const parts = [
      ...settings.map(([name, value]) => `${name} = ${value === DEFAULT ? value : literal(value)}`),
      ...parameters.map(([name, value]) => `param_${name} = ${literal(value)}`),
    ];
    if (parts.length > 0) await setAll(session, parts, work.settings.get(MAX_QUERY_SIZE));
    for (const [name, value] of settings) slot.settings.set(name, value);
    for (const [name, value] of parameters) slot.parameters.set(name, value);
    if (slot.database !== work.database) await session.queryAsync(`USE \`${work.database.replaceAll('`', '``')}\``);
    slot.database = work.database;
    return session;
  }
}

/** Sets them by one statement, however long: to a server, parameters are no part of the query whose length it bounds. */
async function setAll(session: Session, parts: readonly string[], maxQuerySize: string | undefined): Promise<void> {
  const sql = `SET ${parts.join(', ')}`;
  if (sql.length <= LONG_SET) return void (await session.queryAsync(sql));
  await session.queryAsync(`SET ${MAX_QUERY_SIZE} = ${Buffer.byteLength(sql) * 2}`);
  await session.queryAsync(sql);
  const restored = maxQuerySize === undefined ? DEFAULT : literal(maxQuerySize);
  await session.queryAsync(`SET ${MAX_QUERY_SIZE} = ${restored}`);
}

function emptySlot(): Slot {
  return { session: null, database: 'default', settings: new Map(), parameters: new Map() };
}

function retire(slot: Slot) {
  slot.session?.close();
  Object.assign(slot, emptySlot());
}

function differences(has: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): [string, string][] {
  return [...wanted].filter(([name, value]) => has.get(name) !== value);
}
