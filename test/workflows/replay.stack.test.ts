import { env } from 'node:process';
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadBundle } from '../../workflows/kept-bundle.ts';
import type { WorkflowBundle } from '../../workflows/worker.ts';
import { stack } from '../stack/api.ts';
import { eventually } from '../stack/clocks.ts';
import { lifeOf, readHistories, writeHistory } from './histories.ts';
import { LIVES } from './lives.ts';
import type { Lived } from './payment-lives.ts';
import './quiet-runtime.ts';

let workflowBundle: WorkflowBundle;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  workflowBundle = await loadBundle();
  connection = await Connection.connect({ address: stack().temporal_address });
  client = new Client({ connection });
});
afterAll(() => connection.close());

const release = env.RECORD_RELEASE;
/** The lives that the release has already: they are not recorded again. */
const recorded = { release, lives: readHistories().flatMap((one) => (one.release === release ? [lifeOf(one)] : [])) };

/** About a year of periods, so that a run is read quickly, by people and by the worker. */
const MAX_EVENTS = 400;

/** What has been lived: the runs of each life. */
const lived: { name: string; runs: Awaited<ReturnType<typeof runsOf>> }[] = [];

/** Some wait in real time: the others are lived meanwhile. */
test.concurrent.each(Object.entries(LIVES))('a life that %s is lived', async (name, live) => {
  lived.push({ name, runs: (await Promise.all((await live()).map(runsOf))).flat() });
});

/**
 * Definitions must decide alike when they are replayed: after a restart, or when the cache has let them go. With
 * `RECORD_RELEASE` those that it lacks are kept, so that the definitions of later releases are held to them too.
 */
test('the runs of every life replay to what they were', async () => {
  expect(new Set(lived.map(({ name }) => name))).toEqual(new Set(Object.keys(LIVES)));
  // One worker replays all of them: most of what a replay costs is its start.
  const histories = lived.flatMap(({ runs }) => runs);
  let replayed = 0;
  for await (const { error, workflowId } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    const life = lived.find(({ runs }) => runs.some((run) => run.workflowId === workflowId));
    expect(error, life?.name).toBeUndefined();
    replayed++;
  }
  expect(replayed).toBe(histories.length);
  for (const { name, runs } of lived) {
    for (const [i, { workflowId, history }] of runs.entries()) {
      expect(history.events?.length).toBeLessThan(MAX_EVENTS);
      const file = `${name}-${i + 1}-${workflowId.split('/')[0]}`;
      if (recorded.release && !recorded.lives.includes(name)) writeHistory(recorded.release, file, workflowId, history);
    }
  }
});

/** The search may lag behind what has happened. */
function runsOf({ workflowId, runs }: Lived) {
  return eventually(
    async () => {
      const found = [];
      for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
        found.push({ workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() });
      }
      return found;
    },
    (found) => found.length >= runs,
  );
}
