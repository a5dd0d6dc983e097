import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What a process prints that logs `fields`, JavaScript text. */
function printed(fields: string): string {
  const log = join(import.meta.dirname, '../../runtime/log.ts');
  const program = `import { createLog } from ${JSON.stringify(log)}; createLog('test', 'info').error(${fields}, 'failed');`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
}

test.each([
  [
    'an address that is none, with the password in it',
    "{ err: (() => { try { new URL('nats://u:secret@a b'); } catch (e) { return e; } })() }",
  ],
  ['an API key', "{ caller: { key: 'secret', apiKey: 'secret' } }"],
  ['headers', "{ request: { headers: { 'x-api-key': 'secret', authorization: 'Bearer secret' } } }"],
  ['a webhook secret', "{ body: { webhook_secret: 'secret' } }"],
])('%s does not reach the log', (_what, fields) => {
  const line = printed(fields);
  expect(line).toContain('"msg":"failed"');
  expect(line).not.toContain('secret');
});
