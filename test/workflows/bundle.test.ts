import { expect, test } from 'vitest';
import { createLog } from '../../runtime/log.ts';
import { bundleWorkflows } from '../../workflows/worker.ts';

/** The bundler refuses what the sandbox cannot run, such as an import that reaches Node's modules. */
test('the definitions bundle for the sandbox, and stay small', async () => {
  const { code } = await bundleWorkflows(createLog('test', 'silent'));
  for (const type of ['subscription', 'testClock', 'reconcile']) expect(code).toContain(type);
  expect(code).not.toContain('temporal-polyfill');
});
