import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Stack } from '../../local/start-stack.ts';
import type { Api, Json } from './api.ts';
import { whatHoldsUp } from './under-kills/what-holds-up.ts';
import { waitUntil } from './wait-until.ts';

export type Victim = 'ingest' | 'aggregator' | 'worker' | 'api' | 'postgres' | 'temporal';

/** Kills a process of a stack, which starts it again: at once where it lives, else as soon as it does again. */
export async function killProcess(
  stack: Stack,
  name: Victim,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<void> {
  // Between its death and its next start a process has the pid of the dead one.
  await waitUntil(async () => isReached(stack.file().pids[name], signal), Boolean);
}

function isReached(pid: number | null, signal: 'SIGKILL' | 'SIGTERM'): boolean {
  try {
    return pid !== null && process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Whoever was killed is back by then, and what it has left has been done. */
const PATIENCE_MS = 240_000;

/** Waits until the clock does not advance any more, and returns it; where it never arrives, it is told what holds it up. */
export async function clockReady(stack: Stack, call: Api, clockId: string): Promise<Json> {
  const begun = performance.now();
  for (;;) {
    const { body } = await patiently(() => call.get(`/api/test-clocks/${clockId}`));
    if (String(body.status) === 'ready') return body;
    expect(body.status).toBe('advancing');
    if (performance.now() - begun > PATIENCE_MS)
      throw new Error(`The clock does not arrive: ${await whatHoldsUp(stack.file(), clockId)}`);
    await sleep(250);
  }
}

/** Repeats a call that a killed process could not answer. */
export async function patiently<T extends { status: number; body: Json }>(call: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  for (;;) {
    const answer = await call().catch(() => undefined);
    if (answer && answer.status < 500 && answer.status !== 409) return answer;
    if (answer?.status === 409 && String(answer.body.detail).includes('advancing')) return answer;
    if (performance.now() - begun > PATIENCE_MS)
      throw new Error(`Nothing but ${answer?.status ?? 'no answer'}: ${JSON.stringify(answer?.body)}; ${call}`);
    await sleep(100);
  }
}
