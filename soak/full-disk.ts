import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareStack } from '../cli/prepare-stack.ts';
import { type Stack, startStack } from '../local/start-stack.ts';
import { systemClock } from '../runtime/clock.ts';
import { loadLauncherConfig } from '../runtime/config.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { createCaller } from './caller.ts';
import { EventSender, SentEvents } from './sent-events.ts';
import { landedBreaches } from './usage-checks.ts';

/** Room for the engines' own files and some events. */
const DISK = '900m';
const STREAM_BYTES = String(64 * 2 ** 20);
const CHUNK = Buffer.alloc(2 ** 20);
/** Sending goes on for so long on a full disk, and for so long after there is room again at most. */
const FULL_MS = 20_000;
const RECOVER_MS = 120_000;
const SENDERS = 16;

/**
 * A disk that fills up under load and gets room again: whatever was answered 200 is there once, everything else was refused with a
 * 503, and the stack works again by itself. The disk is a small one in memory, which only root may mount. Answers what was found.
 */
export async function fillDisk(say: (line: string) => void): Promise<string[]> {
  const disk = mkdtempSync(join(tmpdir(), 'meterbook-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0755`, 'tmpfs', disk]);
  try {
    return await onDisk(disk, say);
  } finally {
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

async function onDisk(disk: string, say: (line: string) => void): Promise<string[]> {
  const dataDir = join(disk, 'data');
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  const config = loadLauncherConfig();
  const lines: string[] = [];
  const stack = await startStack({
    ...config,
    environment: { ...config.environment, USAGE_STREAM_MAX_BYTES: STREAM_BYTES },
    dataDir,
    port: 0,
    log: (line) => {
      lines.push(line);
      say(line);
    },
    prepare: (stores) => prepareStack(stores, { dataDir, apiKey: undefined, clock: systemClock }),
  });
  try {
    const found = await sendThrough(disk, stack, say);
    if (!lines.some((line) => /disk/.test(line))) found.push('the launcher did not say that the disk is nearly full');
    return found;
  } finally {
    await stack.stop();
  }
}

async function sendThrough(disk: string, stack: Stack, say: (line: string) => void): Promise<string[]> {
  const { base_url: baseUrl, api_key: apiKey, account_id: accountId, clickhouse_url } = stack.file();
  const sender = await EventSender.open(baseUrl, apiKey);
  const sent = new SentEvents();
  const over = new AbortController();
  const sending = Promise.all(
    Array.from({ length: SENDERS }, async (_, s) => {
      for (let n = 0; !over.signal.aborted; n++) {
        const event = { customerId: `c${s}`, id: `${s}-${n}`, time: systemClock.now(), amount: '1.00', user: 'u' };
        await sender.send(event);
        sent.add(event);
        await sleep(20);
      }
    }),
  );
  await sleep(3_000);
  const before = sent.accepted;
  say(`${before} accepted; filling the disk`);
  const filler = join(disk, 'filler');
  fill(filler);
  const full = await duringFull(disk, filler, sent, sender);
  say(`full for ${FULL_MS / 1000} s: ${full.accepted} accepted, ${full.refused} times not; now there is room again`);
  rmSync(filler);
  const from = sent.accepted;
  const until = performance.now() + RECOVER_MS;
  while (sent.accepted < from + 500 && performance.now() < until) await sleep(200);
  const found = sent.accepted < from + 500 ? [`events are not accepted again after ${RECOVER_MS / 1000} s`] : [];
  say(`${sent.accepted - from} accepted since`);
  over.abort();
  await sending.catch((error: unknown) => found.push(String(error)));
  if (found.length > 0) return found;
  if (full.refused === 0) found.push('the disk was full and nothing was refused');
  const clickhouse = createClickHouse(clickhouse_url);
  const call = createCaller(baseUrl, apiKey, new Map());
  found.push(...(await landedBreaches(call, clickhouse, accountId, sent, new Set())));
  await clickhouse.close();
  await sender.close();
  return found;
}

async function duringFull(disk: string, filler: string, sent: SentEvents, sender: EventSender) {
  const [accepted, refused] = [sent.accepted, sender.refusals];
  const until = performance.now() + FULL_MS;
  while (performance.now() < until) {
    // Engines give up room while they clean up: it is taken again.
    if (statfsSync(disk).bavail > 0) fill(filler);
    await sleep(100);
  }
  return { accepted: sent.accepted - accepted, refused: sender.refusals - refused };
}

/** Takes all the room that is left. */
function fill(file: string) {
  for (const chunk of [CHUNK, CHUNK.subarray(0, 4096)]) {
    try {
      for (;;) appendFileSync(file, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}
