import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { StackFile } from '../../local/stack-file.ts';
import { assertLanded } from '../assert-landed.ts';
import { report } from '../figures.ts';
import { pidOf, residentMb } from '../process-usage.ts';

const SENDERS = 32;
const ROUNDS = 3;
const BATCH_EVENTS = 10_000;
const LINE_BYTES = 838;
const SAMPLE_MS = 20;
const GOAL_MB = 400;

type Sent = { status: number; answer: string };

/** The edge's highest resident memory while 32 senders send 8 MiB each at once, as they are and by gzip; who is told to come again does. */
export async function benchBatchMemory(file: StackFile): Promise<void> {
  const pid = pidOf(file, 'ingest');
  const idle = residentMb(pid);
  const rows = [];
  for (const encoding of ['identity', 'gzip'] as const) {
    let [highest, told] = [0, 0];
    const sample = setInterval(() => {
      highest = Math.max(highest, residentMb(pid));
    }, SAMPLE_MS);
    const started = performance.now();
    for (let round = 0; round < ROUNDS; round++) {
      const bodies = bodiesOf(`${encoding}-${round}`, encoding);
      const again = await Promise.all(bodies.map((body) => sendUntilTaken(file, body, encoding)));
      told += again.reduce((sum, one) => sum + one, 0);
    }
    clearInterval(sample);
    const seconds = (performance.now() - started) / 1000;
    rows.push({ encoding, 'idle MB': idle, 'highest MB': highest, goal: GOAL_MB, 'told to come again': told, seconds });
  }
  await assertLanded(file, 2 * ROUNDS * SENDERS * BATCH_EVENTS, 300_000);
  report('batch memory', rows, { senders: SENDERS, rounds: ROUNDS });
}

export function bodiesOf(tag: string, encoding: 'identity' | 'gzip'): Buffer[] {
  return Array.from({ length: SENDERS }, (_, i) => {
    const body = largeBody(`${tag}-${i}`);
    return encoding === 'gzip' ? gzipSync(body) : body;
  });
}

/** Just below 8 MiB. */
function largeBody(tag: string): Buffer {
  const lines = Array.from({ length: BATCH_EVENTS }, (_, i) => {
    const event = { event_name: 'api_call', customer_id: `customer-${i % 100}`, idempotency_id: `${tag}-${i}` };
    const line = (filling: string) =>
      JSON.stringify({ ...event, time_created: '2026-11-20T10:00:00.123Z', properties: { tokens: i, filling } });
    return line(`${i}-`.repeat(200).slice(0, LINE_BYTES - 1 - line('').length));
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Sends a body until it is answered 200; how often it was told to come again. */
export async function sendUntilTaken(file: StackFile, body: Buffer, encoding: string): Promise<number> {
  for (let again = 0; ; again++) {
    const { status, answer } = await send(file, body, encoding);
    if (status === 200 && answer === `{"accepted":${BATCH_EVENTS},"rejected":[]}`) return again;
    if (status !== 503) throw new Error(`${status}: ${answer.slice(0, 500)}`);
    await sleep(1_000);
  }
}

const agent = new Agent({ maxSockets: SENDERS });

function send({ base_url, api_key }: StackFile, body: Buffer, encoding: string): Promise<Sent> {
  const headers = {
    'X-API-KEY': api_key,
    'Content-Type': 'application/x-ndjson',
    'Content-Encoding': encoding,
    'Content-Length': body.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${base_url}/api/events/batch`, { method: 'POST', headers, agent }, (answered) => {
      let answer = '';
      answered.setEncoding('utf8');
      answered.on('data', (text: string) => {
        answer += text;
      });
      answered.on('end', () => resolve({ status: answered.statusCode ?? 0, answer }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
