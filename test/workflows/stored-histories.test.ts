import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { loadBundle } from '../../workflows/kept-bundle.ts';
import { lifeOf, readHistories } from './histories.ts';
import { LIVES } from './lives.ts';
import './quiet-runtime.ts';

/**
 * Workflows live for years, over many releases: the definitions of now must decide as those did that wrote these
 * histories. Where one does not replay, give the changed part a patch (`patched` of the workflow package).
 */
test('the histories of every release replay by the definitions of now', async () => {
  const workflowBundle = await loadBundle();
  const stored = readHistories();
  const results = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, stored)) {
    const names = stored
      .filter((one) => one.workflowId === workflowId)
      .map(({ release, name }) => `${release}/${name}`);
    if (error) results.push(`${names.join(' or ')}: ${error.message}`);
  }
  expect(results).toEqual([]);
});

test('every kind of life is among them', () => {
  const recorded = new Set(readHistories().map(lifeOf));
  const missing = Object.keys(LIVES).filter((life) => !recorded.has(life));
  expect(missing, 'record them: npm run record-histories -- <release>').toEqual([]);
});
