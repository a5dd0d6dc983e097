import { readdirSync, readFileSync } from 'node:fs';
import type { ClickHouseClient } from '@clickhouse/client';
import { STACK_PROCESSES, type StackFile } from '../../local/stack-file.ts';
import { pidOf } from '../process-usage.ts';

/** MB of memory of each process of a stack with its children, each page counted once; the most that it has had, without children. */
export function memoryOf(stack: StackFile): Record<string, { MB: number; 'most MB': number }> {
  return Object.fromEntries(
    STACK_PROCESSES.map((name) => {
      const pid = pidOf(stack, name);
      const own = [pid, ...childrenOf(pid)].reduce((sum, one) => sum + kbOf(`/proc/${one}/smaps_rollup`, 'Pss'), 0);
      return [name, { MB: Math.round(own / 1024), 'most MB': Math.round(kbOf(`/proc/${pid}/status`, 'VmHWM') / 1024) }];
    }),
  );
}

/** Bytes on disk of the tables that grow with events, for each of them. */
export async function bytesAnEvent(clickhouse: ClickHouseClient, events: number): Promise<Record<string, number>> {
  const answer = await clickhouse.query({
    query: `SELECT table, sum(bytes_on_disk) AS bytes FROM system.parts
      WHERE active AND database = currentDatabase() AND table LIKE 'usage%' GROUP BY table ORDER BY bytes DESC`,
    format: 'JSONEachRow',
  });
  const tables = await answer.json<{ table: string; bytes: string }>();
  return Object.fromEntries(tables.map(({ table, bytes }) => [table, Math.round((Number(bytes) / events) * 10) / 10]));
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      const stat = textOf(`/proc/${one}/stat`);
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
    });
}

/** 0 where the process has just ended. */
function kbOf(file: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(textOf(file))?.[1] ?? 0);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
