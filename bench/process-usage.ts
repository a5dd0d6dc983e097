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

/** Processor time that a process and its children, those that have ended among them, have used so far, in milliseconds. */
export function cpuMs(pid: number): number {
  const own = statOf(pid);
  const ofChildren = childrenOf(pid).map((child) => statOf(child)?.ticks ?? 0);
  const ticks = ofChildren.reduce((total, child) => total + child, (own?.ticks ?? 0) + (own?.ofEnded ?? 0));
  return ticks * (1000 / TICKS_PER_SECOND);
}

export function childrenOf(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((child) => statOf(child)?.parent === pid);
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

/** `ofEnded`: of children that have ended. Undefined for a process that has just ended itself. */
function statOf(pid: number): { parent: number; ticks: number; ofEnded: number } | undefined {
  try {
    // The name, in parentheses, may have spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const [own, system, ofEnded, systemOfEnded] = fields.slice(11, 15).map(Number) as [number, number, number, number];
    return { parent: Number(fields[1]), ticks: own + system, ofEnded: ofEnded + systemOfEnded };
  } catch {
    return undefined;
  }
}
