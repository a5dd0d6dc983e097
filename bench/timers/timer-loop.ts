import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

const LOOPS = 60;
const ROUNDS = 15;

/** Timers/s of workflows that only wait, on this server with a worker of their own: what a renewal is measured against. */
export async function runTimerLoops(client: Client, address: string, tag: string): Promise<number> {
  const taskQueue = `bench-${tag}`;
  // Before the connection, which would install a runtime of its own.
  const workflowBundle = await bundle();
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({ connection, taskQueue, workflowBundle });
  const running = worker.run();
  const start = (count: number, rounds: number, name: string) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        client.workflow.execute('timerLoop', { taskQueue, workflowId: `bench/${tag}/${name}-${i}`, args: [rounds] }),
      ),
    );
  await start(1, 1, 'warm');
  const begun = performance.now();
  await start(LOOPS, ROUNDS, 'loop');
  const seconds = (performance.now() - begun) / 1000;
  worker.shutdown();
  await running;
  await connection.close();
  return (LOOPS * ROUNDS) / seconds;
}

let bundled: ReturnType<typeof bundleWorkflowCode> | undefined;

function bundle() {
  if (!bundled) {
    const logger = new DefaultLogger('ERROR');
    Runtime.install({ logger });
    bundled = bundleWorkflowCode({ workflowsPath: join(import.meta.dirname, 'timer-loop-workflow.ts'), logger });
  }
  return bundled;
}
