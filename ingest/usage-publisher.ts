import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../core/domain-error.ts';
import { inTime } from '../runtime/in-time.ts';
import type { Log } from '../runtime/log.ts';
import { inSpan, type TraceContext } from '../runtime/tracing.ts';
import { connectStream, type StreamConnection } from '../stream/connection.ts';
import { checkDurability, type Durability } from '../stream/durability.ts';
import type { StreamSettings, UsageStream } from '../stream/streams.ts';
import { USAGE_STREAM, usageSubject } from '../stream/subjects.ts';
import { traceHeader } from '../stream/trace-header.ts';
import { encodeUsageMessage } from '../stream/usage-message.ts';
import type { StoreGroup } from './group-commit.ts';

/** The edge's way into the usage stream. Before the stream has been found everything here throws `unavailable` (503). */
export type UsagePublisher = {
  partitions(): number;
  storeGroup: StoreGroup;
  /** Reads the real configuration of server and stream; throws where the stream is not the one it should be. */
  checkDurability(): Promise<Durability>;
  close(): Promise<void>;
};

const RETRY_MS = 500;

/** Finds the usage stream; throws while it is not there, or is not the one that events have been counted from. */
export type FindUsageStream = (connection: StreamConnection) => Promise<UsageStream>;

/** Looks for the stream in the background, for as long as it takes: the edge answers 503 until then. */
export function openUsagePublisher(
  url: string,
  settings: StreamSettings,
  log: Log,
  findUsageStream: FindUsageStream,
): UsagePublisher {
  let connected: StreamConnection | undefined;
  let open: { connection: StreamConnection; partitions: number } | undefined;
  const stop = new AbortController();

  async function openStream() {
    const connection = await connectStream(url, 'ingest', log);
    stop.signal.addEventListener('abort', () => void connection.close());
    connected = connection;
    while (!stop.signal.aborted) {
      try {
        const { partitions } = await findUsageStream(connection);
        open = { connection, partitions };
        return;
      } catch (error) {
        log.warn({ err: error }, 'the usage stream cannot be opened, trying again');
        await sleep(RETRY_MS);
      }
    }
  }

  function opened() {
    if (!open) throw unavailable('The usage stream is not reachable right now. Try again.');
    return open;
  }

  /** Set after a store that failed, until the server has answered: what it lost sight of must not pile up on its way there. */
  let isUnsure = false;
  let answered: Promise<void> | undefined;
  function untilAnswered(connection: StreamConnection): Promise<void> {
    answered ??= connection.nats
      .flush()
      .then(() => {
        isUnsure = false;
      })
      .finally(() => {
        answered = undefined;
      });
    return answered;
  }

  const opening = openStream().catch((error) => log.error({ err: error }, 'the usage stream cannot be opened'));
  return {
    partitions: () => opened().partitions,
    storeGroup: async (partition, encodedEvents, timeoutMs, traces) => {
      const { connection } = opened();
      try {
        if (isUnsure) await inTime(untilAnswered(connection), timeoutMs);
        const message = encodeUsageMessage(encodedEvents);
        const ack = await inGroupSpan(traces, encodedEvents.length, () =>
          connection.js.publish(usageSubject(partition), message, { timeout: timeoutMs, ...traceHeader() }),
        );
        // An error in the ack's body has thrown already; an ack of anything else is no promise to us.
        if (ack.stream !== USAGE_STREAM || !(ack.seq > 0)) throw new Error(`Not an ack: ${JSON.stringify(ack)}`);
      } catch (error) {
        isUnsure = true;
        log.warn({ err: error, events: encodedEvents.length }, 'a group of events could not be stored');
        throw error;
      }
    },
    checkDurability: async () => {
      if (connected) await findUsageStream(connected);
      return checkDurability(opened().connection, settings);
    },
    close: async () => {
      stop.abort();
      if (open) await opening;
    },
  };
}

/** A group belongs to the trace of its first request, and is linked to those of the others. */
function inGroupSpan<T>(traces: TraceContext[], events: number, store: () => Promise<T>): Promise<T> {
  const [parent = null, ...links] = traces;
  return inSpan('store group', { kind: 'producer', parent, links, attributes: { events } }, store);
}
