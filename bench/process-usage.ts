import { readdirSync, readFileSync } from 'node:fs';
import type { StackFile } from '../local/stack-file.ts';

type ProcessName = keyof StackFile['pids'];

/** Linux's unit of processor time in /proc. */
const TICKS_PER_SECOND = 100;

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb) / 1024);
}

/** Processor time that a process and its children have used so far, in milliseconds. */
export function cpuMs(pid: number): number {
  return (
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => statOf(Number(name)))
      .filter((stat) => stat?.pid === pid || stat?.parent === pid)
      .reduce((total, stat) => total + (stat?.ticks ?? 0), 0) *
    (1000 / TICKS_PER_SECOND)
  );
}

/** Processor time that these processes of a stack have used so far, in milliseconds. */
export function cpuOf<Name extends ProcessName>(file: StackFile, names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, cpuMs(pidOf(file, name))])) as Record<Name, number>;
}

export function pidOf({ pids }: StackFile, name: ProcessName): number {
  const pid = pids[name];
  if (!pid) throw new Error(`no ${name}`);
  return pid;
}

/** Undefined for a process that has just ended. */
function statOf(pid: number): { pid: number; parent: number; ticks: number } | undefined {
  try {
    // The name, in parentheses, may have spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return { pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}
