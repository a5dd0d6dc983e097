import { parseArgs } from 'node:util';
import { isoFromInstant } from '../core/instants.ts';
import { createLog } from '../runtime/log.ts';
import type { StreamConnection } from '../stream/connection.ts';
import { countDeadLetters, listDeadLetters, replayDeadLetters, type StoredDeadLetter } from '../stream/dead-letters.ts';
import { BadUsage } from './bad-usage.ts';
import { connectSoon } from './connect-soon.ts';
import { findNatsUrl } from './stack-address.ts';

/** Shown of a message: enough to see what it is. */
const SHOWN_BYTES = 200;

const DEFAULT_LIMIT = '100';

/**
 * `npm run cli -- dead-letters list|replay`: prints `{count, dead_letters}` (oldest first, at most `--limit`), for a replay with
 * `{replayed, returned}` before. One that still cannot be decoded goes back and is listed with its new reason.
 */
export async function run(args: string[]): Promise<number> {
  const options = { limit: { type: 'string', default: DEFAULT_LIMIT } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [verb, ...rest] = positionals;
  const limit = Number(values.limit);
  if ((verb !== 'list' && verb !== 'replay') || rest.length > 0)
    throw new BadUsage('What to do is missing: list or replay.');
  if (!Number.isInteger(limit) || limit < 0)
    throw new BadUsage(`--limit is ${values.limit}; it must be a whole number.`);
  // Standard output is for the document alone.
  const log = createLog('cli', 'silent');
  const connection = await connectSoon(await findNatsUrl(), log);
  try {
    const done = verb === 'replay' ? await replayDeadLetters(connection, log) : {};
    console.log(JSON.stringify({ ...done, ...(await overview(connection, limit)) }));
  } finally {
    await connection.close();
  }
  return 0;
}

async function overview(connection: StreamConnection, limit: number) {
  const shown = [];
  if (limit > 0) {
    for await (const letter of listDeadLetters(connection)) {
      shown.push(letterToJson(letter));
      if (shown.length >= limit) break;
    }
  }
  return { count: await countDeadLetters(connection), dead_letters: shown };
}

function letterToJson(letter: StoredDeadLetter) {
  return {
    sequence: letter.storedSequence,
    partition: letter.partition,
    epoch: letter.epoch,
    usage_sequence: letter.sequence,
    reason: letter.reason,
    detail: letter.detail,
    stored_at: isoFromInstant(letter.storedAt),
    bytes: letter.data.length,
    data: Buffer.from(letter.data.subarray(0, SHOWN_BYTES)).toString(),
  };
}
