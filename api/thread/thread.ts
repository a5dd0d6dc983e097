import Tinypool from 'tinypool';
import { stringifyWithin } from '../../runtime/exact-json.ts';
import { answerOf } from '../../runtime/http/errors.ts';
import { createLog } from '../../runtime/log.ts';
import { followRolledUp } from '../../services/usage/follow-rolled-up.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { fixedRoom } from '../../sql/postgres/page-window.ts';
import { ANSWER_LIMIT_MS, createPool } from '../../sql/postgres/postgres.ts';
import { listingOf, type PageQuery } from '../pages.ts';
import { withoutInternals } from '../portal/without-internals.ts';
import { shareClickHouse } from '../shared-clickhouse.ts';
import type { ThreadAnswer, ThreadConfig, ThreadTask } from './task.ts';
import { THREAD_OPERATIONS } from './thread-operations.ts';

/** A payer's draft loads so many customers at once. */
const CONNECTIONS = 4;

const { databaseUrl, clickhouseUrl, clickhouseCluster, usageLimitMs, logLevel, responseMaxBytes }: ThreadConfig =
  Tinypool.workerData;
const postgres = createPool(databaseUrl, ANSWER_LIMIT_MS, CONNECTIONS);
const clickhouse = createClickHouse(clickhouseUrl, clickhouseCluster, usageLimitMs);
const clickhouseOf = shareClickHouse(clickhouse);
const rolledUp = followRolledUp(clickhouse);

const log = createLog('api', logLevel);
// As the process itself does: without this the thread would end.
process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));

/** Runs an operation as the API would, and writes its answer. Never rejects. */
export async function answer(task: ThreadTask): Promise<ThreadAnswer> {
  const caller = new AbortController();
  task.gone.once('message', () => caller.abort());
  try {
    return Tinypool.move(new TextEncoder().encode(await run(task, caller.signal))) as Uint8Array<ArrayBuffer>;
  } catch (error) {
    return copied(answerOf(error, task.requestId));
  } finally {
    task.gone.close();
  }
}

async function run(task: ThreadTask, signal: AbortSignal): Promise<string> {
  const { operationId, call, isForPortal, asOf, landedPosition } = task;
  const operation = THREAD_OPERATIONS.find(({ id }) => id === operationId);
  if (!operation) throw new Error(`the thread does not know ${operationId}`);
  // By the shapes of this very operation, which its type no longer names.
  const url = new URL(call.url);
  const room = fixedRoom(responseMaxBytes);
  const own = {
    ...{ ...call, params: call.params as never, query: call.query as never, url, room },
    get listing() {
      return listingOf(url, call.query as PageQuery, room);
    },
  };
  const result = await operation.run(own, {
    ...{ postgres, rolledUp, clickhouse: clickhouseOf(call.caller.accountId, () => signal) },
    progress: { asOf: async () => asOf, landedPosition: async () => landedPosition },
  });
  return stringifyWithin(isForPortal ? withoutInternals(result) : result, responseMaxBytes);
}

/** A refusal of which all can be copied: an error is, by its name, message, stack and cause. */
function copied<A extends { cause?: unknown }>({ cause, ...refusal }: A) {
  return { ...refusal, ...(cause !== undefined && { cause: cause instanceof Error ? cause : String(cause) }) };
}

/** Before the thread ends. */
export async function close(): Promise<void> {
  await Promise.all([postgres.end(), clickhouse.close()]);
}
