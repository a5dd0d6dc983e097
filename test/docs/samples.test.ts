import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { operationsOf, readDocument } from '../../docs/site/document.ts';
import { guideCall } from '../../docs/site/guide-request.ts';
import { type Call, exampleCall, samplesOf } from '../../docs/site/samples.ts';
import { root } from '../source-files.ts';
import { GUIDE_PAGES, requestsOf, typescriptOf } from './guide-blocks.ts';

/** The samples of /docs (spec/service#documents): what is written there can be typed and run. */

const operations = operationsOf(readDocument()).filter(({ isWebhook }) => !isWebhook);
/** One that is there to be refused does not compile, rightly. */
const inGuide = GUIDE_PAGES.flatMap((page) => requestsOf(page).filter(({ under }) => under !== '422'));
const calls: Call[] = [...operations.map(exampleCall), ...inGuide.map(({ request }) => guideCall(request, operations))];
const run = promisify(execFile);

/** Writes the types of the API's document, as the page says to make them; the package is the console's. */
async function writeTypes(file: string): Promise<void> {
  const found = createRequire(join(root, 'console/package.json')).resolve('openapi-typescript/package.json');
  await run(process.execPath, [join(dirname(found), 'bin/cli.js'), join(root, 'api/openapi.json'), '-o', file]);
}

test('every sample in TypeScript compiles against the types of the document', async () => {
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, 'node_modules/.cache/samples-'));
  try {
    await writeTypes(join(folder, 'meterbook.ts'));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    const samples = calls.map((call, i) => `export async function call${i}() {\n${samplesOf(call).typescript}\n}`);
    const wrong = `// @ts-expect-error: a plan has a name\nvoid client.POST('/api/plans', { body: { billing_period: 'monthly' } });`;
    const pages = GUIDE_PAGES.filter((page) => page !== 'typescript').map(typescriptOf);
    const blocks = pages.map((text, i) => `export async function page${i}() {\n${text}\n}`);
    const program = [typescriptOf('typescript'), ...blocks, ...samples, wrong].join('\n');
    await writeFile(join(folder, 'samples.ts'), program);
    const options = {
      strict: true,
      target: 'es2024',
      module: 'nodenext',
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
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
