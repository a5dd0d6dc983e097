import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ALARM_AT } from '../../aggregator/stream-retention.ts';
import { createProcessRegistry } from '../../runtime/process-metrics.ts';
import { PRESSED_AT } from '../../stream/purge.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
};
const rules = (parse(read('operations/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (one) => one.rules,
);
const runbook = read('operations/runbook.md');

/** The families that the processes register, as their code names them. */
const families = new Set(
  ['aggregator', 'api', 'ingest', 'outbound', 'workflows', 'runtime']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((f) => join(folder, f)),
    )
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [...read(path).matchAll(/['`](meterbook_[a-z_]+)['`]/g)].map((match) => match[1] ?? '')),
);
const ofEveryProcess = new Set(
  createProcessRegistry('test')
    .getMetricsAsArray()
    .map(({ name }) => name),
);

test('every alert has a paragraph of its name in the runbook, and says where', () => {
  for (const { alert, labels, annotations } of rules) {
    const paragraph = runbook.split(`### ${alert}\n`)[1] ?? '';
    expect(paragraph.split('\n###')[0]?.trim().length ?? 0, alert).toBeGreaterThan(80);
    expect(annotations.runbook).toBe(`operations/runbook.md#${alert.toLowerCase()}`);
    expect(annotations.summary.length, alert).toBeGreaterThan(10);
    expect(['page', 'ticket'], alert).toContain(labels.severity);
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});

test('every paragraph about an alert has one', () => {
  const named = [...runbook.matchAll(/^### (Meterbook\w+)$/gm)].map((match) => match[1]);
  expect(named.sort()).toEqual(rules.map(({ alert }) => alert).sort());
});

test.each(['operations/alerts.yml', 'operations/dashboard.json', 'operations/prometheus.yml', 'operations/runbook.md'])(
  'every metric family that %s names exists',
  (path) => {
    const named = [...read(path).matchAll(/\bmeterbook_[a-z_]+/g)].map((match) =>
      match[0].replace(/_(bucket|sum|count)$/, ''),
    );
    expect(named.length).toBeGreaterThan(0);
    expect([...new Set(named)].filter((name) => !families.has(name))).toEqual([]);
    const ofProcesses = [...read(path).matchAll(/\b(?:process|nodejs)_[a-z0-9_]+(?=[[{)`])/g)].map((match) => match[0]);
    expect([...new Set(ofProcesses)].filter((name) => !ofEveryProcess.has(name))).toEqual([]);
  },
);

test('every metric family that an alert is about is on the dashboard', () => {
  const named = rules.flatMap(({ expr }) => expr.match(/\b(?:meterbook|process|nodejs)_[a-z0-9_]+/g) ?? []);
  const shown = read('operations/dashboard.json');
  expect(named.length).toBeGreaterThan(rules.length);
  expect([...new Set(named)].filter((name) => !shown.includes(name))).toEqual([]);
});

test('alert and pages tell the alarm of the usage stream as the code raises it', () => {
  const [pressed, alarm] = [PRESSED_AT, ALARM_AT].map((part) => `${part * 100} %`);
  const summary = rules.find(({ alert }) => alert === 'MeterbookUsageStreamFilling')?.annotations.summary;
  expect(summary).toContain(`more than ${alarm} full`);
  expect(runbook).toContain(`More than ${alarm} of \`USAGE_STREAM_MAX_BYTES\`. Above ${pressed} `);
  expect(read('aggregator/README.md')).toContain(`above ${pressed} full the oldest`);
  expect(read('aggregator/README.md')).toContain(`Alarm above ${alarm}`);
  expect(read('operations/retention.md')).toContain(`over ${pressed} full`);
  expect(read('operations/sizing.md')).toContain(
    `above ${pressed} older messages go earlier, above ${alarm} with an alarm`,
  );
});

test('links between the pages lead somewhere', () => {
  const pages = readdirSync(join(root, 'operations')).filter((name) => name.endsWith('.md'));
  for (const page of pages) {
    for (const [, target = ''] of read(`operations/${page}`).matchAll(/\]\(([\w-]+\.md)\)/g))
      expect(pages, page).toContain(target);
  }
});
