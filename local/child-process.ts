import { type ChildProcess as Spawned, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_LIMITS, type LogLimits, logSize, openLog, rotateLog, tellingLine } from './supervise/child-log.ts';
import { cpuTime, Progress } from './supervise/progress.ts';
import { HealthWatch } from './supervise/watch-health.ts';

/** A process the launcher keeps alive. */
export type ChildSpec = {
  name: string;
  command: string;
  args: readonly string[];
  environment: Record<string, string | undefined>;
  cwd?: string;
  /** Runs as this user; needs root. */
  user?: { uid?: number; gid?: number };
  /** How far it stands back where the cores are full: its niceness, and that of its session. */
  nice?: number | undefined;
  logFile: string;
  /** What asks the process to end; SIGTERM unless it means something else to it. */
  stopSignal?: NodeJS.Signals;
  /** True once it serves. */
  isReady(): Promise<boolean>;
  /** Whether it still does its work; `isReady` unless that says too little or too much. */
  isHealthy?(): Promise<boolean>;
  /** Runs before every start, the first and the later ones. */
  beforeStart?(): Promise<void>;
  /** Why a process that lives can't do its work any more until it is started again; undefined where it can. */
  isStuck?(): Promise<string | undefined>;
  /** Why a restart would not help an unhealthy process; undefined if it would. */
  excuse?(): string | undefined;
};

/** What the launcher hears of its children, and how it looks after them. */
export type ChildObserver = {
  say(line: string): void;
  pidChanged(): void;
  /** How long a process may stay unhealthy before it is started again; 0: for ever. */
  unhealthyMs?: number | undefined;
  logLimits?: LogLimits | undefined;
};

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;
/** A process that lived this long was well: its next death starts over with the shortest wait. */
const WELL_AFTER_MS = 10_000;
/** A process that ends this often before it ever served does not start; once it has served it is started again for ever. */
const MAX_FIRST_STARTS = 3;
/** How often a process is asked whether it serves: less often the longer that takes. */
const READY_POLL_MS = 50;
const MAX_READY_POLL_MS = 500;
const UNHEALTHY_MS = 30_000;
/** An unhealthy process that does not hear is forced after this. */
const UNHEARD_MS = 5_000;
const ROTATE_EVERY_MS = 5_000;
const MAX_REASON = 300;

/** A child in its own process group: started, started again when it dies, stopped. Signals to the launcher's group don't reach it. */
export class ChildProcess {
  readonly spec: ChildSpec;
  readonly #observer: ChildObserver;
  #running: Spawned | null = null;
  #lastPid: number | null = null;
  #ended: Promise<void> = Promise.resolve();
  #stopping = false;
  #hasServed = false;
  /** The life that `ready` has seen serve. */
  #servedPid: number | null = null;
  #starts = 0;
  /** What kept it from being started at all, the last time. */
  #reason: string | null = null;
  /** What runs before a start, as the making of data, has no process whose progress could be seen. */
  #isPreparing = false;
  /** Where in the log file this launcher's part begins. */
  #logFrom: number | null = null;
  #backoffMs = FIRST_BACKOFF_MS;
  #wake = new AbortController();
  readonly #health: HealthWatch;

  constructor(spec: ChildSpec, observer: ChildObserver) {
    this.spec = spec;
    this.#observer = observer;
    this.#health = new HealthWatch(observer.unhealthyMs ?? UNHEALTHY_MS);
  }

  get name(): string {
    return this.spec.name;
  }

  /** Of the process itself (never of a shell); null while it is not running. */
  get pid(): number | null {
    return this.#running?.pid ?? null;
  }

  /** The pid of its newest life, also while it is being started again. */
  get lastPid(): number | null {
    return this.#lastPid;
  }

  /** Starts it and from now on starts it again whenever it ends. */
  async start(): Promise<void> {
    this.#ended = this.#keepRunning();
  }

  /**
   * Waits until it serves. Throws with the reason in one line if it keeps ending, or makes no progress for `patienceMs`: neither a
   * new line nor processor time. A busy machine may take as long as it needs.
   */
  async ready(patienceMs: number, signal?: AbortSignal): Promise<void> {
    const begun = performance.now();
    const progress = this.#progress();
    for (;;) {
      signal?.throwIfAborted();
      if (this.#running && (await this.spec.isReady().catch(() => false))) break;
      if (!this.#hasServed && this.#starts > MAX_FIRST_STARTS && !this.#running)
        throw await this.#failure(`it ended ${MAX_FIRST_STARTS} times`);
      if (this.#isPreparing) progress.mark();
      if ((await progress.idleMs()) > patienceMs)
        throw await this.#failure(`not ready, and without progress for ${Math.round(patienceMs / 1000)} s`);
      await sleep(Math.min(MAX_READY_POLL_MS, READY_POLL_MS + (performance.now() - begun) / 100));
    }
    this.#hasServed = true;
    this.#servedPid = this.pid;
  }

  #progress(): Progress {
    return new Progress(async () => ({
      cpuMs: await cpuTime(this.pid),
      written: logSize(this.spec.logFile),
    }));
  }

  /** Asks it to end, forces it after `killAfterMs`. Safe to call twice. */
  async stop(killAfterMs: number): Promise<void> {
    this.#stopping = true;
    this.#wake.abort();
    const child = this.#running;
    if (child) {
      child.kill(this.spec.stopSignal ?? 'SIGTERM');
      const force = setTimeout(() => killGroup(child.pid), Math.max(0, killAfterMs));
      await this.#ended;
      clearTimeout(force);
    }
    await this.#ended;
  }

  async #keepRunning(): Promise<void> {
    while (!this.#stopping) {
      this.#starts += 1;
      if (!this.#hasServed && this.#starts > MAX_FIRST_STARTS) return;
      const startedAt = performance.now();
      const how = await this.#runOnce();
      if (this.#stopping) return;
      if (performance.now() - startedAt > WELL_AFTER_MS) this.#backoffMs = FIRST_BACKOFF_MS;
      this.#observer.say(
        `${this.name} ended (${how}), starting it again in ${this.#backoffMs} ms; log: ${this.spec.logFile}`,
      );
      await sleep(this.#backoffMs, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    }
  }

  /** One life of the process; answers how it ended. Never throws: whatever went wrong may go better the next time. */
  async #runOnce(): Promise<string> {
    const { spec } = this;
    let log: { descriptor: number; size: number };
    try {
      this.#isPreparing = true;
      await spec.beforeStart?.();
      log = openLog(spec.logFile);
    } catch (error) {
      this.#reason = error instanceof Error ? error.message : String(error);
      return this.#reason;
    } finally {
      this.#isPreparing = false;
    }
    const { descriptor } = log;
    if (this.#stopping) {
      closeSync(descriptor);
      return 'stopped';
    }
    this.#logFrom ??= log.size;
    // From its first thread on: another thread's niceness can't be changed by the process' id.
    const [command = '', ...args] = [...(spec.nice ? ['nice', '-n', `${spec.nice}`] : []), spec.command, ...spec.args];
    const child = spawn(command, args, {
      env: spec.environment,
      ...(spec.cwd ? { cwd: spec.cwd } : {}),
      ...spec.user,
      detached: true,
      stdio: ['ignore', descriptor, descriptor],
    });
    closeSync(descriptor);
    this.#running = child;
    this.#lastPid = child.pid ?? this.#lastPid;
    if (child.pid) this.#observer.pidChanged();
    if (child.pid && spec.nice) void setSessionNiceness(child.pid, spec.nice);
    const life = new AbortController();
    const rotating = setInterval(() => this.#rotateLog(), ROTATE_EVERY_MS).unref();
    void this.#restartUnhealthy(child, life.signal);
    const how = await new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
    });
    life.abort();
    clearInterval(rotating);
    killGroup(child.pid); // what it has left behind would hold its port or its files
    this.#running = null;
    return how;
  }

  /** Ends a process that lives and does not do its work; `#keepRunning` then starts it again. */
  async #restartUnhealthy(child: Spawned, signal: AbortSignal): Promise<void> {
    if (this.#observer.unhealthyMs === 0) return;
    const { spec } = this;
    const progress = this.#progress();
    const why = await this.#health.reasonToRestart(
      {
        isHealthy: () => spec.isHealthy?.() ?? spec.isReady(),
        isStuck: async () => (this.#hasServed ? spec.isStuck?.() : undefined),
        // Who waits for its first start gives it up.
        excuse: () => (this.#hasServed ? spec.excuse?.() : 'it starts'),
        hasServed: () => this.#servedPid === child.pid,
        idleMs: () => progress.idleMs(),
      },
      signal,
    );
    if (why === undefined || this.#stopping) return;
    this.#observer.say(`${this.name}: ${why}: starting it again`);
    child.kill(spec.stopSignal ?? 'SIGTERM');
    await sleep(UNHEARD_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (!signal.aborted) killGroup(child.pid);
  }

  /** A log that can't be copied, as on a full disk, is rotated later. */
  #rotateLog(): void {
    try {
      rotateLog(this.spec.logFile, this.#observer.logLimits ?? LOG_LIMITS);
    } catch {
      // the next time
    }
  }

  /** Why it can't start, in one line, and where to read more. */
  async #failure(what: string): Promise<Error> {
    const { logFile } = this.spec;
    const reason = this.#reason ?? (await tellingLine(logFile, this.#logFrom ?? 0)) ?? 'it wrote nothing';
    return new Error(`${this.name} can't start (${what}): ${reason.slice(0, MAX_REASON)}; log: ${logFile}`);
  }
}

/**
 * Where Linux shares the cores between sessions first (`kernel.sched_autogroup_enabled`), what a process' own niceness says counts only beside
 * others of its session, and each child is one of its own. Of those who ask too fast the kernel lets nobody but root through.
 */
async function setSessionNiceness(pid: number, nice: number): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const refused = await writeFile(`/proc/${pid}/autogroup`, `${nice}`).catch(
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (refused !== 'EAGAIN') return;
    await sleep(200);
  }
}

function killGroup(pid: number | undefined) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nobody is left
  }
}
