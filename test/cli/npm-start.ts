import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { commandOf, endLeftovers, findLeftovers } from '../../local/leftovers.ts';
import { type StackFile, stackFilePath } from '../../local/stack-file.ts';
import { waitUntil } from '../stack/wait-until.ts';

const ROOT = join(import.meta.dirname, '../..');
const PATIENCE_MS = 120_000;

/** `npm start` as a person runs it: the whole service, through npm, in a process group of its own. */
export class NpmStart {
  readonly #dataDir: string;
  readonly #npm: ChildProcess;
  output = '';

  constructor(dataDir: string, environment: Record<string, string>) {
    this.#dataDir = dataDir;
    const env = { ...process.env, ...environment, DATA_DIR: dataDir };
    this.#npm = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#npm.stdout, this.#npm.stderr]) stream?.on('data', (chunk) => (this.output += chunk));
  }

  /** Waits until it says that it is ready. */
  async ready(): Promise<StackFile> {
    await waitUntil(
      async () => this.output.includes('ready.') || this.#npm.exitCode !== null,
      (isOver) => isOver,
      PATIENCE_MS,
    );
    expect(this.output).toContain('Meterbook is ready.');
    return JSON.parse(readFileSync(stackFilePath(this.#dataDir), 'utf8')) as StackFile;
  }

  /** Waits until it prints this. */
  async says(text: string): Promise<void> {
    const hasSaid = async () => this.output.includes(text);
    await waitUntil(hasSaid, (said) => said, PATIENCE_MS);
  }

  /** Asks it to stop while it starts, and waits until all of it is gone: nobody has its output open then. */
  async giveUpBy(stop: (pid: number) => void): Promise<void> {
    const closed = once(this.#npm, 'close');
    stop(this.#npm.pid ?? 0);
    await closed;
    expect(existsSync(stackFilePath(this.#dataDir))).toBe(false);
    expect(await findLeftovers(this.#dataDir)).toEqual([]);
  }

  /** Asks it to stop, and waits until all of it is gone; how many milliseconds that took. */
  async stopBy(stop: (pid: number) => void, { pids }: StackFile): Promise<number> {
    stop(this.#npm.pid ?? 0);
    const begun = performance.now();
    await waitUntil(
      () => commandOf(pids.launcher ?? 0),
      (command) => command === '',
      PATIENCE_MS,
    );
    const took = performance.now() - begun;
    expect(existsSync(stackFilePath(this.#dataDir))).toBe(false);
    expect(await findLeftovers(this.#dataDir)).toEqual([]);
    return took;
  }

  /** Whatever is left of it. */
  async end(): Promise<void> {
    if (this.#npm.pid) spawnSync('kill', ['-KILL', '--', `-${this.#npm.pid}`]);
    await endLeftovers(this.#dataDir);
  }
}
