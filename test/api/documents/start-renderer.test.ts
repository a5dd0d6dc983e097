import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createRenderer, type Renderer } from '../../../api/documents/start-renderer.ts';
import { createLog } from '../../../runtime/log.ts';
import { importsOf, root, textsOf } from '../../source-files.ts';

/** Real threads, whose records are away. */
const AWAY = { databaseUrl: 'postgres://nobody@127.0.0.1:9/none', mostKeptBytes: 0, logLevel: 'silent' };
const NEVER = new AbortController().signal;
let renderer: Renderer;
afterEach(() => renderer.stop());

test('an account renders one document at a time, some wait, and others begin at once', async () => {
  renderer = createRenderer(AWAY, createLog('test', 'silent'));
  const ask = (accountId: string, signal = NEVER) => {
    const answer = renderer.invoicePdf({ accountId, invoiceId: 'inv' }, signal);
    answer.catch(() => {});
    return answer;
  };
  const gone = new AbortController();
  const asked = [...Array.from({ length: 20 }, () => ask('a')), ask('a', gone.signal)];
  // The first one has begun; twenty wait.
  await expect(ask('a')).rejects.toMatchObject({ code: 'unavailable', reason: 'too_many_at_once' });
  expect(renderer.turns.waiting()).toBe(20);
  gone.abort();
  await expect(asked[20]).rejects.toMatchObject({ status: 499 });
  const other = ask('b');
  // It has begun: none more waits.
  expect([renderer.turns.waiting(), renderer.turns.mayBegin('c')]).toEqual([19, false]);
  for (const result of await Promise.allSettled([other, ...asked.slice(0, 20)])) {
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  }
});

test('nothing else in api/ renders: it would hold up every call', () => {
  const renders = /^documents\/(invoice-document|render-pdf)\.ts$/;
  const rendering = textsOf(join(root, 'api'), ['.ts']).filter(({ path, text }) =>
    importsOf(path, text).some((target) => renders.test(target)),
  );
  expect(rendering.map(({ path }) => path)).toEqual(['api/documents/rendering.ts']);
});
