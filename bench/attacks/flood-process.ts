import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Flood } from './flood.ts';

/** The process of a flood: sends the requests it was given in turn, over so many connections, until it is told to stop. */
const [{ requests, connections, pauseMs }] = (await once(process, 'message')) as [Flood];
const answers: Record<string, number> = {};
let next = 0;
let isOver = false;

async function connection() {
  while (!isOver) {
    const request = requests[next++ % requests.length];
    if (!request) return;
    const { url, ...init } = request;
    const status = await fetch(url, init).then(
      async (answer) => answer.arrayBuffer().then(() => answer.status),
      () => 'none',
    );
    answers[status] = (answers[status] ?? 0) + 1;
    if (pauseMs > 0) await sleep(pauseMs);
  }
}

process.once('message', () => {
  isOver = true;
  process.send?.(answers, () => process.exit(0));
});
await Promise.all(Array.from({ length: connections }, connection));
