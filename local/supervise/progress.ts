import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { promisify } from 'node:util';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;
/** Processor time that counts as progress. A process that only asks again each second uses less than this in a minute. */
const STEP_MS = 1_200;

/** What shows that a process makes progress: its processor time, and whatever else grows as it works. */
export type Effort = { cpuMs: number; written: number };

/** Measures for how long somebody has made no progress: nothing new written, and hardly any processor time used. */
export class Progress {
  readonly #read: () => Promise<Effort>;
  readonly #now: () => number;
  readonly #stepMs: number;
  #last: Effort = { cpuMs: 0, written: 0 };
  #at: number;

  /** `processes`: of how many the processor time is the sum. */
  constructor(read: () => Promise<Effort>, processes = 1, now: () => number = () => performance.now()) {
    this.#read = read;
    this.#stepMs = processes * STEP_MS;
    this.#now = now;
    this.#at = now();
  }

  /** Counts the present as progress. */
  mark(): void {
    this.#at = this.#now();
  }

  /** Returns the milliseconds since the last progress. A process that has been started anew begins with less processor time. */
  async idleMs(): Promise<number> {
    const effort = await this.#read();
    const { cpuMs, written } = this.#last;
    if (effort.written !== written || effort.cpuMs < cpuMs || effort.cpuMs - cpuMs >= this.#stepMs) {
      this.#last = effort;
      this.mark();
    }
    return this.#now() - this.#at;
  }
}

/** Returns the processor time of a process and its children, 0 if it has gone. */
export async function cpuTime(pid: number | null): Promise<number> {
  if (pid === null) return 0;
  if (platform() !== 'linux') return await psTime(pid);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const times = await Promise.all([pid, ...children.split(' ').filter(Boolean)].map(ticksOf));
  return times.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

/** Ticks in user and system mode, with those of children that have ended. */
async function ticksOf(pid: number | string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Behind the program's name, which may contain anything: the state is field 3, the four times are 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + (Number(field) || 0), 0);
}

async function psTime(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  const seconds = stdout
    .trim()
    .split(':')
    .reduce((sum, part) => sum * 60 + (Number(part) || 0), 0);
  return seconds * 1000;
}
