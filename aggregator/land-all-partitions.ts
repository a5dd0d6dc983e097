import type { ClickHouseClient } from '@clickhouse/client';
import type { Log } from '../runtime/log.ts';
import type { Claim } from '../stream/claims.ts';
import type { StreamConnection } from '../stream/connection.ts';
import type { UsageStream } from '../stream/streams.ts';
import { type KnownIds, loadKnownIds } from './known-ids.ts';
import { again, landPartition, type PartitionWriter, recoverPartition, type Step } from './partition-writer.ts';

export type Landing = {
  connection: StreamConnection;
  clickhouse: ClickHouseClient;
  stream: UsageStream;
  /** The partitions to land; all where absent. */
  own?: readonly number[] | undefined;
  writerId: string;
  /** Memory for the filter over landed ids. */
  knownIdsMaxBytes: number;
  log: Log;
  signal: AbortSignal;
  onStep(step: Step, claim: Claim | undefined): void;
  /** Called once each of them has been brought to where its last writer was and landing begins. */
  onReady(known: KnownIds): void;
};

/**
 * Lands all partitions of the usage stream, or its own share of them, until `signal`: first what earlier writers claimed, then what is new.
 * Resolves when stopped by the signal.
 * @throws FenceLost when another writer has taken a partition over: the process must end and start afresh.
 */
export async function landAllPartitions(landing: Landing): Promise<void> {
  const { connection, clickhouse, log, signal, stream, writerId, onStep } = landing;
  const own = ownPartitions(landing);
  const writers = own.map((partition): PartitionWriter => {
    return { connection, clickhouse, partition, epoch: stream.epoch, writerId, log, signal, onStep };
  });
  try {
    const starts = await Promise.all(writers.map(recoverPartition));
    const known = await again(landing, 'landed ids cannot be loaded', () =>
      loadKnownIds(clickhouse, landing.knownIdsMaxBytes, { partitions: stream.partitions, own }),
    );
    log.info({ ...known.size(), partitions: own }, 'landed ids loaded');
    landing.onReady(known);
    await Promise.all(
      writers.map((writer, i) => {
        const start = starts[i];
        return start && landPartition(writer, known, start.fence, start.next);
      }),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A share that the stream does not have would never land anything: a mistake of whoever configured it. */
function ownPartitions({ own, stream }: Landing): readonly number[] {
  const all = Array.from({ length: stream.partitions }, (_, partition) => partition);
  const unknown = (own ?? []).filter((partition) => partition >= stream.partitions);
  if (unknown.length > 0) throw new Error(`The usage stream has no partition ${unknown.join(', ')}.`);
  return own ?? all;
}
