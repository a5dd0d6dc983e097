import { type ChildProcess as Spawned, spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

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
  /** Runs before every start, the first and the later ones. */
  beforeStart?(): Promise<void>;
  /** Why a process that lives can't do its work any more until it is started again; undefined where it can. */
  isStuck?(): Promise<string | undefined>;
};

/** What the launcher hears of its children. */
export type ChildObserver = { say(line: string): void; pidChanged(): void };

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5_000;
/** A process that lived this long was well: its next death starts over with the shortest wait. */
const WELL_AFTER_MS = 10_000;
/** A process that ends this often before it ever served does not start; once it has served it is started again for ever. */
const MAX_FIRST_STARTS = 3;
const READY_POLL_MS = 50;
const MAX_LOG_BYTES = 20 * 2 ** 20;
const STUCK_POLL_MS = 5_000;
/** Of what a process has written in its last lives: enough to find the line that says why it ended. */
const READ_BACK_BYTES = 64 * 1024;
/** What engines and Node call the worst; the newest such line says most. */
const TELLING = [
  /\bFATAL|\bPANIC|\[FTL\]|panic:|^\w*Error: |"level":60|no space left/i,
  /\berror\b|\[ERR\]|"level":50/i,
];
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
  #starts = 0;
  /** What kept it from being started at all, the last time. */
  #reason: string | null = null;
  /** Where in the log file this launcher's part begins. */
  #logFrom: number | null = null;
  #backoffMs = FIRST_BACKOFF_MS;
  #wake = new AbortController();

  constructor(spec: ChildSpec, observer: ChildObserver) {
    this.spec = spec;
    this.#observer = observer;
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

  /** Waits until it serves. Throws with the reason in one line when it does not within `timeoutMs`, or keeps ending. */
  async ready(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      signal?.throwIfAborted();
      if (this.#running && (await this.spec.isReady().catch(() => false))) break;
      if (!this.#hasServed && this.#starts > MAX_FIRST_STARTS && !this.#running)
        throw await this.#failure(`it ended ${MAX_FIRST_STARTS} times`);
      if (performance.now() > until) throw await this.#failure(`not ready after ${Math.round(timeoutMs / 1000)} s`);
      await sleep(READY_POLL_MS);
    }
    this.#hasServed = true;
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
    let log: number;
    try {
      await spec.beforeStart?.();
      log = openLog(spec.logFile);
    } catch (error) {
      this.#reason = error instanceof Error ? error.message : String(error);
      return this.#reason;
    }
    if (this.#stopping) {
      closeSync(log);
      return 'stopped';
    }
    this.#logFrom ??= fstatSync(log).size;
    // From its first thread on: another thread's niceness can't be changed by the process' id.
    const [command = '', ...args] = [...(spec.nice ? ['nice', '-n', `${spec.nice}`] : []), spec.command, ...spec.args];
    const child = spawn(command, args, {
      env: spec.environment,
      ...(spec.cwd ? { cwd: spec.cwd } : {}),
      ...spec.user,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#running = child;
    this.#lastPid = child.pid ?? this.#lastPid;
    if (child.pid) this.#observer.pidChanged();
    if (child.pid && spec.nice) void setSessionNiceness(child.pid, spec.nice);
    const watch = this.#restartWhenStuck(child);
    const how = await new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
    });
    clearInterval(watch);
    killGroup(child.pid); // what it has left behind would hold its port or its files
    this.#running = null;
    return how;
  }

  #restartWhenStuck(child: Spawned): NodeJS.Timeout {
    const look = async () => {
      const why = this.#hasServed && (await this.spec.isStuck?.().catch(() => undefined));
      if (!why || this.#stopping || child !== this.#running) return;
      this.#observer.say(`${this.name}: ${why}: starting it again`);
      child.kill(this.spec.stopSignal ?? 'SIGTERM');
    };
    return setInterval(() => void look(), STUCK_POLL_MS).unref();
  }

  /** Why it can't start, in one line, and where to read more. */
  async #failure(what: string): Promise<Error> {
    const { logFile } = this.spec;
    const reason = this.#reason ?? (await tellingLine(logFile, this.#logFrom ?? 0)) ?? 'it wrote nothing';
    return new Error(`${this.name} can't start (${what}): ${reason.slice(0, MAX_REASON)}; log: ${logFile}`);
  }
}

/** The line that says most about why a process ended, of what it has written since `from`. */
async function tellingLine(file: string, from: number): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  const begin = Math.max(from <= bytes.length ? from : 0, bytes.length - READ_BACK_BYTES);
  const lines = bytes.subarray(begin).toString().split('\n');
  const written = lines.map((line) => line.trim()).filter((line) => line !== '');
  for (const pattern of TELLING) {
    const line = written.findLast((text) => pattern.test(text));
    if (line) return line;
  }
  return written.at(-1);
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
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
