import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  folderOf,
  importsOf,
  markdownFiles,
  namedImportsOf,
  packagesOf,
  root,
  textsOf,
  valueImportsOf,
  withoutComments,
} from './source-files.ts';

/** The architecture (architecture#folders): what each folder may import of ours. `cli`, `test`, `bench`, `soak` and `rehearse` may import anything. */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  billing: ['core'],
  runtime: ['core'],
  wire: ['core', 'billing'],
  sql: ['core', 'billing', 'runtime'],
  stream: ['core', 'runtime'],
  outbound: ['core', 'billing', 'runtime', 'wire'],
  documents: ['core', 'billing'],
  services: ['core', 'billing', 'runtime', 'wire', 'sql', 'stream', 'outbound'],
  ingest: ['core', 'runtime', 'wire', 'stream', 'sql'],
  aggregator: ['core', 'runtime', 'stream', 'sql'],
  workflows: ['core', 'billing', 'runtime', 'wire', 'sql', 'stream', 'outbound', 'services'],
  api: ['core', 'billing', 'runtime', 'wire', 'documents', 'sql', 'stream', 'outbound', 'services'],
  local: ['core', 'runtime'],
  build: ['console', 'docs'],
  console: ['build'],
  docs: ['build'],
  sdk: [],
};
/** Files that may import more than their folder: the shells that put a process together. */
const MAY_ALSO_IMPORT: Record<string, string[]> = { 'ingest/edge.ts': ['sql'] };
/**
 * What is about no account in particular: these alone work past row-level security (sql/postgres/postgres.ts, acrossAccounts, lookAcrossAccounts and a
 * query without a transaction). Nothing that answers a caller belongs here, unless it finds out whose account a call is.
 */
const ACROSS_ACCOUNTS = new Set([
  'sql/postgres/postgres.ts',
  'sql/postgres/pool.ts',
  'sql/postgres/accounts/accounts.ts',
  'sql/postgres/accounts/api-keys.ts',
  'sql/postgres/accounts/console-sessions.ts',
  'sql/postgres/charges/unrecorded-invoices.ts',
  'sql/postgres/chain/chain-checks.ts',
  'sql/postgres/chain/chain-heads.ts',
  'sql/postgres/chain/chain-queue.ts',
  'sql/postgres/catalog/price-watch.ts',
  'sql/postgres/payments/collections.ts',
  'sql/postgres/copy-records.ts',
  'sql/postgres/record-totals.ts',
  'sql/clickhouse/usage/erase-usage.ts',
  'sql/postgres/payments/oauth-states.ts',
  'sql/postgres/credits/refunds.ts',
  'sql/postgres/customers/portal-links.ts',
  'sql/postgres/invoices/parity.ts',
  'sql/postgres/invoices/past-due-waits.ts',
  'sql/postgres/invoices/invoice-sections.ts',
  'sql/postgres/payments/processor-connections.ts',
  'sql/postgres/payments/processor-events.ts',
  'sql/postgres/backup-drills.ts',
  'sql/postgres/restores.ts',
  'sql/postgres/retention.ts',
  'sql/postgres/secrets/unkeyed-operations.ts',
  'sql/postgres/secrets/rotate-webhook-keys.ts',
  'sql/postgres/secrets/sealed-secrets.ts',
  'sql/postgres/subscriptions/schedules.ts',
  'sql/postgres/subscriptions/test-clocks.ts',
  'sql/postgres/webhooks/webhook-deliveries.ts',
  'sql/postgres/webhooks/webhook-sending.ts',
  'workflows/outbox-relay.ts',
]);
/** Files that are run by themselves beside `main.ts`. */
const SCRIPTS = new Set([
  'workflows/bundle.ts',
  'api/openapi/write-document.ts',
  'api/thread/thread.ts',
  'api/documents/rendering.ts',
  'build/write-sdk-types.ts',
]);
const UNRULED = new Set(['cli', 'test', 'bench', 'soak', 'rehearse']);

/** What stands in data, backups and open workflows keeps its name there, whatever the word is now. */
const STORED_NAMES =
  /\b(loadSubscriptionCourse|loadCollectionCourse|billWaitingLines)\b|\bcourse\??:|start\.course|told\??\.course|0001_books|MeterbookUsageStoreDiskNearlyFull|`books\/|'books'|manifest\.books|\{ books \}: Manifest|\bbooks(\.tables|: schema|: z\.object)/g;
/** The word that stands, and patterns of those that it has replaced. */
const REPLACED_WORDS: [string, RegExp][] = [
  ['records, Postgres', /(?<![pP]rice[ _-]|verify-)\b[bB]ooks\b|(?<![pP]rice)(?<=[a-z])Books\b/],
  ['ClickHouse', /\b[uU]sage store\b|[uU]sageStore/],
  ['gateway', /\bdoors?\b|[a-z]Door\b/i],
  ['fast path', /\bexpress.?lane/i],
  ['usage cutoff', /\bsealPosition\b|[a-z]Seal\b|\bSealedBills\b|\b([tT]he|[aA]|[iI]ts) seal\b/],
  ['watermark', /UsageMarks?\b|\busage marks?\b/],
  ['pending invoice items', /[wW]aiting(Lines|Bill)\b|\bwaiting (lines|bill)\b/],
  ['proration credit', /[gG]iveBacks?\b|[gG]ivenBack\b|\bgive-backs?\b/],
  ['schedule', /[a-z]Course\b|\bcourse\b/],
  ['entitlement', /[a-z]Standings?\b|\bStandings?\b/],
  ['snapshot', /\b(load|read)Held\b|: Held\b/],
  ['lock for share, lock for update', /\bhold(Customer|Subscription|Metrics|TestClocks)\b/],
  ['publish', /\btell\((tx|stores)\b|\btellCollectable\b/],
  ['forward', /\b[hH]and(s|ed)?[ -]on\b|[hH]andOn\b/],
  ['maintenance, retention', /upkeep|keep-?bounded/i],
  ['architecture, layers', /\bthe house\b|\b(first|second) wall\b/i],
];

const files = textsOf(root, ['.ts', '.tsx']);
const ours = files.filter(({ path }) => !UNRULED.has(folderOf(path)) && path.includes('/'));

describe('the layers', () => {
  test('every folder is in the table', () => {
    expect(ours.map(({ path }) => folderOf(path)).filter((folder) => !(folder in MAY_IMPORT))).toEqual([]);
  });

  test('docs/architecture.md shows the same table', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const shown = [...page.matchAll(/^\| `([a-z]+)\/` \|.*\|([^|]+)\|$/gm)].map(([, folder = '', imports = '']) => [
      folder,
      imports.trim() === 'anything' ? 'anything' : [...imports.matchAll(/`([a-z]+)`/g)].map(([, name]) => name).sort(),
    ]);
    expect(Object.fromEntries(shown)).toEqual({
      ...Object.fromEntries(Object.entries(MAY_IMPORT).map(([folder, imports]) => [folder, [...imports].sort()])),
      ...Object.fromEntries([...UNRULED].map((folder) => [folder, 'anything'])),
    });
  });

  test('folders import only what the table allows', () => {
    const wrong = ours.flatMap(({ path, text }) => {
      const from = folderOf(path);
      const allowed = new Set([from, ...(MAY_IMPORT[from] ?? []), ...(MAY_ALSO_IMPORT[path] ?? [])]);
      return importsOf(path, text)
        .filter((target) => !allowed.has(folderOf(target)) && !(from === 'api' && target === 'workflows/client.ts'))
        .map((target) => `${path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('core and billing import only exact numbers and the calendar, and have no clock', () => {
    const packages = files
      .filter(({ path }) => folderOf(path) === 'billing' || folderOf(path) === 'core')
      .flatMap(({ path, text }) => packagesOf(text).map((name) => `${path} imports ${name}`))
      .filter((line) => !/ imports (bignumber\.js|temporal-polyfill)$|^core\/ids\.ts imports typeid-js$/.test(line));
    expect(packages).toEqual([]);
  });

  test('workflow definitions import only types of activities, states and the workflow package', () => {
    const wrong = files
      .filter(({ path }) => path.startsWith('workflows/definitions/'))
      .flatMap(({ path, text }) =>
        valueImportsOf(text)
          .filter(
            (target) =>
              !target.startsWith('./') &&
              !/^(@temporalio\/(workflow|common)|(\.\.\/)+billing\/subscriptions\/states\.ts)$/.test(target),
          )
          .map((target) => `${path} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });
});

describe('only here', () => {
  const only: [string, RegExp, (path: string) => boolean][] = [
    ['process.env is read in runtime/config.ts', /process\.env/, (path) => path === 'runtime/config.ts'],
    [
      // In the sandbox of workflow definitions it is Temporal's clock, which is replayed.
      'the clock is read in runtime/clock.ts',
      /Date\.now\(|new Date\(\)|Temporal\.Now/,
      (path) =>
        // The browser's own, too, for the days that a page shows at first; and that of the apps that use the SDK.
        [
          'runtime/clock.ts',
          'workflows/definitions/workflow-time.ts',
          'console/parts/days.ts',
          'sdk/typescript/source/clock.ts',
        ].includes(path),
    ],
    ['traces are made in runtime/tracing.ts', /['"]@opentelemetry\//, (path) => path === 'runtime/tracing.ts'],
    ['Math.random is not used', /Math\.random\(/, () => false],
    [
      'SQL is in sql/',
      /['"`]\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE)\s/,
      // The second moves the rows of Temporal's own file.
      (path) => path.startsWith('sql/') || path === 'local/engines/temporal-file.ts',
    ],
    [
      'only what ACROSS_ACCOUNTS names works past row-level security',
      /[aA]crossAccounts[(<]|\b(pool|postgres)\.query\b/,
      (path) => ACROSS_ACCOUNTS.has(path),
    ],
    ['Temporal is used in workflows/', /['"]@temporalio\//, (path) => path.startsWith('workflows/')],
    ['no default exports', /^export default/m, (path) => path === 'console/vite.config.ts'],
    ['no any', /[:<]\s*any\b|\bas any\b/, () => false],
    ['no cast through unknown', /\bas unknown as\b/, () => false],
  ];
  test.each(only)('%s', (_rule, pattern, allowed) => {
    expect(
      ours.filter(({ path, text }) => pattern.test(withoutComments(text)) && !allowed(path)).map(({ path }) => path),
    ).toEqual([]);
  });
});

describe('api/ is HTTP, the use cases are in services/', () => {
  const routes = files.filter(({ path }) => path.startsWith('api/routes/'));

  test('an operation gets its transactions from the router, or from a preview: nothing else in api/ opens one', () => {
    const opening = files
      .filter(({ path, text }) => folderOf(path) === 'api' && /\b(inTransaction|inReading|inSnapshot)\b/.test(text))
      .map(({ path }) => path);
    expect(opening).toEqual(['api/idempotency/idempotency.ts', 'api/preview-call.ts', 'api/router.ts']);
  });

  test('a route is its schema, its scope and one call: of a use case, or of one statement that reads', () => {
    const wrong = routes.flatMap(({ path, text }) => {
      const names = namedImportsOf(text);
      const statements = names.filter(({ from, name }) => /\/sql\//.test(from) && !name.endsWith('_SORTS'));
      const useCases = names.filter(({ from }) => /\/services\//.test(from));
      const rules = names.filter(({ from }) => /\/billing\//.test(from));
      const writing = statements.filter(({ name }) => !/^(find|list|load)[A-Z]/.test(name));
      return [
        ...writing.map(({ name }) => `${path} writes by itself: ${name}`),
        ...rules.map(({ name }) => `${path} decides by itself: ${name}`),
        ...(statements.length + useCases.length > 1 ? [`${path} makes more than one call`] : []),
      ];
    });
    expect(wrong).toEqual([]);
  });
});

test('each file in sql/ holds SQL', () => {
  const sql =
    /['"`][^'"`]*(\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|WHERE|FROM|IN)\b|(mapContains|sumIf)\()/;
  const without = files.filter(({ path, text }) => path.startsWith('sql/') && !sql.test(withoutComments(text)));
  expect(without.map(({ path }) => path)).toEqual([]);
});

describe('rules are cited by where they stand', () => {
  const docs = join(root, 'docs');
  const anchors = new Set(
    markdownFiles(docs).flatMap((path) => {
      const page = relative(docs, path).replace(/\.md$/, '');
      const headings = [...readFileSync(path, 'utf8').matchAll(/^#{2,} (.+)$/gm)].map(([, heading = '']) => heading);
      return [page, ...headings.map((heading) => `${page}#${slugOf(heading)}`)];
    }),
  );

  test('each citation leads to a heading in docs/', () => {
    const lost = files.flatMap(({ path, text }) =>
      [...text.matchAll(CITATION)]
        .map(([citation]) => citation)
        .filter((citation) => !anchors.has(citation))
        .map((citation) => `${path} cites ${citation}`),
    );
    expect(lost).toEqual([]);
  });

  test('no other document is cited: whoever has the code has its reasons', () => {
    const elsewhere = files
      .filter(({ text }) => /\b(contract|design) \d|\b(contract|design|engines|interface)\.md\b/.test(text))
      .map(({ path }) => path);
    expect(elsewhere.filter((path) => path !== 'test/architecture.test.ts')).toEqual([]);
  });
});

describe('one word for one thing (docs/glossary.md)', () => {
  const texts = [...files, ...textsOf(root, ['.md', '.yml'])].filter(
    ({ path }) => path !== 'test/architecture.test.ts',
  );

  test.each(REPLACED_WORDS)('%s', (_word, pattern) => {
    const found = texts.flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, i) => (pattern.test(line.replaceAll(STORED_NAMES, '')) ? [`${path}:${i + 1}`] : [])),
    );
    expect(found).toEqual([]);
  });
});

describe('files', () => {
  test('none imports itself over others, not even for a type', () => {
    let left = files.map(({ path, text }) => ({ path, imports: importsOf(path, withoutComments(text)) }));
    // Whoever imports none of those that are left, or is imported by none of them, is in no circle.
    for (let before = 0; left.length !== before; ) {
      before = left.length;
      const paths = new Set(left.map(({ path }) => path));
      const imported = new Set(left.flatMap(({ imports }) => imports));
      left = left.filter(({ path, imports }) => imported.has(path) && imports.some((target) => paths.has(target)));
    }
    expect(left.map(({ path }) => path)).toEqual([]);
  });

  test('no file is longer than 350 lines', () => {
    expect(files.filter(({ text }) => text.split('\n').length > 350).map(({ path }) => path)).toEqual([]);
  });

  test('at most 25 stand side by side in a folder', () => {
    const folders = Map.groupBy(files, ({ path }) => dirname(path));
    expect(
      [...folders].filter(([, own]) => own.length > 25).map(([folder, own]) => `${folder}: ${own.length}`),
    ).toEqual([]);
  });

  test('a main.ts has at most 20 lines; what it starts stands beside it, and is started by nothing else', () => {
    const mains = ours.filter(({ path }) => /\/main\.tsx?$/.test(path));
    expect(mains.length).toBeGreaterThan(0);
    expect(mains.filter(({ text }) => text.trimEnd().split('\n').length > 20).map(({ path }) => path)).toEqual([]);
    const starting = ours.filter(({ path, text }) => !SCRIPTS.has(path) && /^(await|process\.on)\b/m.test(text));
    expect(starting.filter((file) => !mains.includes(file)).map(({ path }) => path)).toEqual([]);
  });

  test('names are kebab-case and say what a thing is', () => {
    const bad = files.filter(({ path }) => {
      const name = path.split('/').at(-1) ?? '';
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.stack)?(\.test|\.config)?\.tsx?$/.test(name) ||
        /util|helper|common|manager|handler|service\./.test(name)
      );
    });
    expect(bad.map(({ path }) => path)).toEqual([]);
  });

  test('each folder has a README of at most 40 lines', () => {
    for (const folder of Object.keys(MAY_IMPORT).filter((name) => ours.some(({ path }) => folderOf(path) === name))) {
      const lines = readFileSync(join(root, folder, 'README.md'), 'utf8')
        .trimEnd()
        .split('\n');
      expect(lines.length, `${folder}/README.md`).toBeLessThanOrEqual(40);
    }
  });
});

/** `spec/<page>` or `architecture`, and a heading of it. */
const CITATION = /\b(?:spec\/[a-z-]+|architecture(?=#))(?:#[a-z-]+)?/g;

/** The anchor that a heading of Markdown has. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
