import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { StackFile } from '../../local/stack-file.ts';
import { assertLanded } from '../assert-landed.ts';
import { report, rounded } from '../figures.ts';
import { pidOf, residentMb } from '../process-usage.ts';

const SENDERS = 32;
const ROUNDS = 3;
const BATCH_EVENTS = 10_000;
const EVENT_BYTES = 838;
const SAMPLE_MS = 20;
const GOAL_MB = 400;

type Sent = { status: number; answer: string };

/** Large bodies as the edge may get them, each just below 8 MiB. `accepts`: whether an answer says that all of it has been taken. */
type LargeBodies = {
  path: string;
  contentType: string;
  encoding: 'identity' | 'gzip';
  bodyOf(tag: string): Buffer;
  accepts(answer: string): boolean;
};

const LINES: Omit<LargeBodies, 'encoding'> = {
  path: '/api/events/batch',
  contentType: 'application/x-ndjson',
  bodyOf: linesOf,
  accepts: (answer) => answer === `{"accepted":${BATCH_EVENTS},"rejected":[]}`,
};

const SENT: Record<string, LargeBodies> = {
  batch: { ...LINES, encoding: 'identity' },
  'batch, gzip': { ...LINES, encoding: 'gzip' },
  // Its answer has each event again.
  lago: {
    path: '/api/v1/events/batch',
    contentType: 'application/json',
    encoding: 'identity',
    bodyOf: lagoBatch,
    accepts: (answer) => answer.split('"lago_id"').length - 1 === BATCH_EVENTS,
  },
};

/** The edge's highest resident memory while 32 senders send 8 MiB each at once, in each form; who is told to come again does. */
export async function benchBatchMemory(file: StackFile): Promise<void> {
  const pid = pidOf(file, 'ingest');
  const idle = residentMb(pid);
  const rows = [];
  for (const [form, bodies] of Object.entries(SENT)) {
    let [highest, told] = [0, 0];
    const sample = setInterval(() => {
      highest = Math.max(highest, residentMb(pid));
    }, SAMPLE_MS);
    const started = performance.now();
    for (let round = 0; round < ROUNDS; round++) {
      const sent = Array.from({ length: SENDERS }, (_, i) => largeBody(bodies, `${form}-${round}-${i}`));
      const again = await Promise.all(sent.map((body) => sendUntilTaken(file, body, bodies)));
      told += again.reduce((sum, one) => sum + one, 0);
    }
    clearInterval(sample);
    const seconds = rounded((performance.now() - started) / 1000);
    rows.push({
      sent: form,
      'idle MB': idle,
      'highest MB': highest,
      goal: GOAL_MB,
      'told to come again': told,
      seconds,
    });
  }
  await assertLanded(file, rows.length * ROUNDS * SENDERS * BATCH_EVENTS, 300_000);
  report('batch memory', rows, { senders: SENDERS, rounds: ROUNDS });
}

/** A body of its own ids, as it goes over the wire. */
function largeBody({ bodyOf, encoding }: LargeBodies, tag: string): Buffer {
  const body = bodyOf(tag);
  return encoding === 'gzip' ? gzipSync(body) : body;
}

function linesOf(tag: string): Buffer {
  const lines = Array.from({ length: BATCH_EVENTS }, (_, i) => {
    const event = { event_name: 'api_call', customer_id: `customer-${i % 100}`, idempotency_id: `${tag}-${i}` };
    return filled(i, (properties) => ({ ...event, time_created: '2026-11-20T10:00:00.123Z', properties }));
  });
  return Buffer.from(`${lines.join('\n')}\n`);
}

function lagoBatch(tag: string): Buffer {
  const events = Array.from({ length: BATCH_EVENTS }, (_, i) => {
    const event = { code: 'api_call', external_customer_id: `customer-${i % 100}`, transaction_id: `${tag}-${i}` };
    return filled(i, (properties) => ({ ...event, timestamp: 1_795_168_800, properties }));
  });
  return Buffer.from(`{"events":[${events.join(',')}]}`);
}

/** An event of one byte less than EVENT_BYTES, for what stands between two. */
function filled(i: number, eventOf: (properties: object) => object): string {
  const text = (filling: string) => JSON.stringify(eventOf({ tokens: i, filling }));
  return text(`${i}-`.repeat(200).slice(0, EVENT_BYTES - 1 - text('').length));
}

/** Sends a body until it is answered 200; how often it was told to come again. */
async function sendUntilTaken(file: StackFile, body: Buffer, bodies: LargeBodies): Promise<number> {
  for (let again = 0; ; again++) {
    const { status, answer } = await send(file, body, bodies);
    if (status === 200 && bodies.accepts(answer)) return again;
    if (status !== 503) throw new Error(`${status}: ${answer.slice(0, 500)}`);
    await sleep(1_000);
  }
}

const agent = new Agent({ maxSockets: SENDERS });

function send(
  { base_url, api_key }: StackFile,
  body: Buffer,
  { path, contentType, encoding }: LargeBodies,
): Promise<Sent> {
  const headers = {
    'X-API-KEY': api_key,
    'Content-Type': contentType,
    'Content-Encoding': encoding,
    'Content-Length': body.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${base_url}${path}`, { method: 'POST', headers, agent }, (answered) => {
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
