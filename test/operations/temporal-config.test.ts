import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { DYNAMIC_CONFIG } from '../../local/engines/temporal.ts';

type Compose = {
  services: { temporal: { command: string[]; configs: { source: string; target: string }[] } };
  configs: Record<string, { file: string }>;
};

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
const { services, configs } = parse(read('docker-compose.yml'), { merge: true }) as Compose;
/** Of the files that the container of Temporal's server is given, by where it finds them. */
const files = new Map(services.temporal.configs.map(({ source, target }) => [target, configs[source]?.file ?? '']));
const rendered = read(files.get('/etc/meterbook/production.yaml') ?? '')
  .replaceAll(/\{\{ env "(\w+)" \| quote \}\}/g, '"$1"')
  .replaceAll(/\{\{ env "(\w+)" \}\}/g, '$1');
const config = parse(rendered, { merge: true });

test('Temporal reads a configuration of ours, with as many shards as the databases were made with', () => {
  const { numHistoryShards, datastores } = config.persistence;
  expect(numHistoryShards).toBe(4);
  expect(datastores.default.sql).toMatchObject({ databaseName: 'temporal', password: 'TEMPORAL_DB_PASSWORD' });
  expect(datastores.visibility.sql).toMatchObject({ databaseName: 'temporal_visibility', user: 'temporal' });
  expect(config.services.frontend.rpc).toMatchObject({ grpcPort: 7233, bindOnIP: 'TEMPORAL_BIND_IP' });
  for (const name of ['TEMPORAL_DB_PASSWORD', 'TEMPORAL_BIND_IP'])
    expect(services.temporal.command.join(), name).toContain(`${name}=`);
});

test('it behaves as the development server of `npm start`', () => {
  const dynamic = parse(read(files.get(config.dynamicConfigClient.filepath) ?? ''));
  const values = Object.entries(DYNAMIC_CONFIG).map(([key, value]) => [key, [{ value }]]);
  expect(dynamic).toEqual(Object.fromEntries(values));
});
