import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Operation } from '../../docs/site/document.ts';
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

/** What one shell gives to curl: of each sample its arguments, each ended by a NUL, and then a byte that no argument has. */
async function givenToCurl(): Promise<string[]> {
  const samples = calls.map((call) => samplesOf(call).curl);
  const script = ['curl() { printf "%s\\0" "$@"; }', ...samples.map((sample) => `${sample}\nprintf "\\1"`)].join('\n');
  const env = { URL: 'http://api', KEY: 'key' };
  const shell = run('bash', ['-eu'], { env });
  shell.child.stdin?.end(script);
  // The samples behind one that fails have nothing, and fail, too.
  const { stdout } = await shell.catch((failed) => failed);
  return stdout.split('\x01');
}

const given = givenToCurl();

/** What a body that is sent says: the fields of a form, JSON, or a text. */
function bodyOf({ requestBody }: Operation, sent: string): unknown {
  const types = Object.keys(requestBody?.content ?? {});
  if (types.includes('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(sent));
  return types.includes('application/json') ? JSON.parse(sent) : sent;
}

test.each(calls.map((call, i) => ({ call, i })))(
  'the shell reads what $call.operation.operationId sends in curl as it is meant',
  async ({ call, i }) => {
    const ofCall = (await given)[i]?.split('\0') ?? [];
    expect(ofCall.find((one) => one.startsWith('http://api/'))).toMatch(/^[^{}\s]+$/);
    const sent = ofCall[ofCall.indexOf('-d') + 1] ?? '';
    if (call.body !== undefined) expect(bodyOf(call.operation, sent)).toEqual(call.body);
    if (!call.operation.security) expect(ofCall).toContain('X-API-KEY: key');
  },
);
