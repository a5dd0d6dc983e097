import { Registry } from '@prometheus-io/client';
import { expect, test } from 'vitest';
import { askedGauge } from '../../runtime/asked-gauge.ts';

test('has the value of its store, none while the store is away, and hides nothing of the others', async () => {
  const registry = new Registry();
  let load = async () => 3;
  askedGauge(registry, { name: 'lag', help: 'l' }, () => load());
  askedGauge(registry, { name: 'other', help: 'o' }, async () => 7);
  expect(await registry.metrics()).toMatch(/^lag 3$/m);
  load = () => Promise.reject(new Error('away'));
  const away = await registry.metrics();
  expect(away).not.toMatch(/^lag \d/m);
  expect(away).toMatch(/^other 7$/m);
  // One that never answers is away too.
  load = () => new Promise(() => {});
  expect(await registry.metrics()).not.toMatch(/^lag \d/m);
  load = async () => 4;
  expect(await registry.metrics()).toMatch(/^lag 4$/m);
});

test('has several values by a label, those that the store tells now', async () => {
  const registry = new Registry();
  let values: Record<string, number> = { workflow: 1, activity: 2 };
  askedGauge(registry, { name: 'backlog', help: 'b', label: 'type' }, async () => values);
  expect(await registry.metrics()).toMatch(/backlog\{type="workflow"\} 1\n.*backlog\{type="activity"\} 2/s);
  values = { activity: 5 };
  expect(await registry.metrics()).not.toContain('workflow');
});
