import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { operationsOf, readDocument } from '../../docs/site/document.ts';
import { guideCall } from '../../docs/site/guide-request.ts';
import { type Call, exampleCall, samplesOf } from '../../docs/site/samples.ts';
import { fileOfPage } from '../../docs/site/topics.ts';
import { root } from '../source-files.ts';
import { GUIDE_PAGES, requestsOf, typescriptOf } from './guide-blocks.ts';

/** The samples of /docs (spec/service#documents): what is written there can be typed and run. */

const operations = operationsOf(readDocument()).filter(({ isWebhook }) => !isWebhook);
/** One that is there to be refused does not compile, rightly. */
const inGuide = GUIDE_PAGES.flatMap((page) => requestsOf(page).filter(({ under }) => !/422$/.test(under)));
const calls: Call[] = [...operations.map(exampleCall), ...inGuide.map(({ request }) => guideCall(request, operations))];
const run = promisify(execFile);

const SDK = join(root, 'sdk/typescript');
const DECLARED = `import type { MeterbookClient } from '@meterbook/sdk';\ndeclare const client: MeterbookClient;`;

/** Programs by the names of their files: the samples of all calls, each page of the guide, each block of the SDK's README. */
function programs(): Record<string, string> {
  const samples = calls.map((call, i) => `export async function call${i}() {\n${samplesOf(call).typescript}\n}`);
  const wrong = `// @ts-expect-error: a plan has a name\nvoid client.POST('/api/plans', { body: { billing_period: 'monthly' } });`;
  const pages = GUIDE_PAGES.map((page): [string, string] => {
    const text = typescriptOf(fileOfPage(page)).join('\n');
    // The page that tells how the client is made makes it.
    return [page, page === 'typescript' ? text : `${DECLARED}\n${text}`];
  });
  const blocks = typescriptOf(join(SDK, 'README.md')).map((text, i): [string, string] => [`readme-${i}`, text]);
  return { ...Object.fromEntries([...pages, ...blocks]), samples: [DECLARED, ...samples, wrong].join('\n') };
}

test('every sample in TypeScript compiles with the SDK', async () => {
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, 'node_modules/.cache/samples-'));
  try {
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    for (const [name, text] of Object.entries(programs())) await writeFile(join(folder, `${name}.ts`), text);
    const options = {
      strict: true,
      target: 'es2024',
      module: 'nodenext',
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      paths: {
        '@meterbook/sdk': [join(SDK, 'source/index.ts')],
        '@meterbook/sdk/meter': [join(SDK, 'source/meter/meter.ts')],
      },
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch((failed) => failed);
    expect(stdout).toBe('');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each(calls)('the shell reads what $operation.operationId sends in curl as it is meant', async (call) => {
  // A curl that prints its arguments, each ended by a NUL.
  const script = `curl() { printf '%s\\0' "$@"; }\n${samplesOf(call).curl}`;
  const { stdout } = await run('bash', ['-euc', script], { env: { URL: 'http://api', KEY: 'key' } });
  const given = stdout.split('\0');
  expect(given.find((one) => one.startsWith('http://api/'))).not.toMatch(/[{}\s]/);
  const sent = given[given.indexOf('-d') + 1] ?? '';
  if (call.body !== undefined) expect(typeof call.body === 'string' ? sent : JSON.parse(sent)).toEqual(call.body);
  if (!call.operation.security) expect(given).toContain('X-API-KEY: key');
});
