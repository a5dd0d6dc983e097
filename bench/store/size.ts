import { readFileSync } from 'node:fs';
import type { StackFile } from '../../local/stack-file.ts';
import { createLog } from '../../runtime/log.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { connectStream } from '../../stream/connection.ts';
import { loadStreamFill } from '../../stream/purge.ts';
import { startOwnStack } from '../../test/stack/own-stack.ts';
import { assertLanded } from '../assert-landed.ts';
import { report } from '../figures.ts';
import { prepareRequests, sendAll } from '../track-load.ts';

const CONNECTIONS = 256;
/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
/** Those that an event passes. */
const ON_THE_PATH = ['ingest', 'nats', 'aggregator', 'clickhouse'] as const;

/** What an event costs: processor time of each process on its path, bytes in the stream and on the disk of ClickHouse. */
export async function benchSize(events: number): Promise<void> {
  const stack = await startOwnStack();
  try {
    const file = stack.file();
    const port = Number(new URL(file.base_url).port);
    await sendAll(port, prepareRequests('warm', 10_000, port, file.api_key), { connections: CONNECTIONS });
    await assertLanded(file, 10_000);
    const before = cpuSeconds(file);
    await sendAll(port, prepareRequests('size', events, port, file.api_key), { connections: CONNECTIONS });
    await assertLanded(file, 10_000 + events);
    const after = cpuSeconds(file);
    const cpu = ON_THE_PATH.map((name) => [name, ((after[name] - before[name]) / events) * 1e6] as const);
    const all = cpu.reduce((sum, [, us]) => sum + us, 0);
    const bytes = await bytesPerEvent(file, 10_000 + events);
    report(
      'size',
      [
        ...cpu.map(([name, us]) => ({ what: `${name}, us of a core per event`, figure: round(us) })),
        { what: 'events/s per core, all four together', figure: Math.round(1e6 / all) },
        ...Object.entries(bytes).map(([what, figure]) => ({ what, figure: round(figure) })),
      ],
      { events },
    );
  } finally {
    await stack.stop();
  }
}

function cpuSeconds(stack: StackFile): Record<(typeof ON_THE_PATH)[number], number> {
  const of = (pid: number | null) => {
    // Behind the program's name in brackets: utime and stime are the 12th and 13th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  };
  const { ingest, nats, aggregator, clickhouse } = stack.pids;
  return { ingest: of(ingest), nats: of(nats), aggregator: of(aggregator), clickhouse: of(clickhouse) };
}

async function bytesPerEvent(stack: StackFile, events: number): Promise<Record<string, number>> {
  const connection = await connectStream(stack.nats_url, 'bench', createLog('bench', 'warn'));
  const { bytes } = await loadStreamFill(connection);
  await connection.close();
  const clickhouse = createClickHouse(stack.clickhouse_url);
  const onDisk = async (table: string) => {
    await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    const answer = await clickhouse.query({
      query: `SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND table = {table:String}`,
      query_params: { table },
      format: 'JSONEachRow',
    });
    const [row] = await answer.json<{ bytes: string }>();
    return Number(row?.bytes) / events;
  };
  const figures = {
    'bytes per event in the stream': bytes / events,
    'bytes per event in usage_events': await onDisk('usage_events'),
    'bytes per id in usage_ids': await onDisk('usage_ids'),
  };
  await clickhouse.close();
  return figures;
}

function round(figure: number): number {
  return Math.round(figure * 10) / 10;
}
