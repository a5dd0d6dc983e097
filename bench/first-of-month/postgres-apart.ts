import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { StackFile } from '../../local/stack-file.ts';
import { childrenOf } from '../process-usage.ts';

/**
 * As where Postgres has a machine of its own: the first core is Postgres' and nobody else's of the stack. What any of them starts later
 * inherits that.
 */
export function setPostgresApart({ pids }: StackFile): void {
  const others = `1-${availableParallelism() - 1}`;
  // The launcher is the first: Postgres is one of its children.
  for (const [name, pid] of Object.entries(pids)) {
    if (!pid) continue;
    for (const one of [pid, ...childrenOf(pid)]) setCores(one, name === 'postgres' ? '0' : others);
  }
}

/** A child that has ended meanwhile needs no core; where one of a process' threads has, it is asked again. */
function setCores(pid: number, cores: string, tries = 5): void {
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)], { stdio: 'ignore' });
  } catch (error) {
    if (!existsSync(`/proc/${pid}`)) return;
    if (tries === 1) throw error;
    setCores(pid, cores, tries - 1);
  }
}
