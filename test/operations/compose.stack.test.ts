import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAccount } from '../../cli/create-account.ts';
import { newId } from '../../core/ids.ts';
import { natsServer } from '../../local/binaries.ts';
import { findBinary } from '../../local/find-binary.ts';
import { reservePorts } from '../../local/free-ports.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { createLog } from '../../runtime/log.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { migrate } from '../../sql/migrate.ts';
import { createPool, inTransaction } from '../../sql/postgres/postgres.ts';
import { connectStream } from '../../stream/connection.ts';
import { ensureStreams } from '../../stream/streams.ts';
import { stack } from '../stack/api.ts';
import { durabilityTold } from '../stack/durability.ts';
import { killChild } from '../stack/kill-child.ts';

const compose = (file: string) => readFileSync(join(import.meta.dirname, '../../operations/compose', file), 'utf8');
const SETTINGS = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 26, streamReplicas: 1 };

test('a NATS with the file of docker-compose.yml lets in who knows the password, and syncs before it acks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'meterbook-compose-'));
  const { cacheDir, natsServerBin, environment } = loadLauncherConfig();
  const binary = await findBinary(natsServer, natsServerBin, { cacheDir, environment, say: () => {} });
  const { ports, release } = await reservePorts(folder, 2);
  const config = compose('nats.conf')
    .replace('/data', join(folder, 'data'))
    .replace('0.0.0.0:4222', `127.0.0.1:${ports[0]}`)
    .replace('127.0.0.1:8222', `127.0.0.1:${ports[1]}`);
  writeFileSync(join(folder, 'nats.conf'), config);
  // Digits that the configuration would read as a number, as docker-compose.yml passes them.
  const password = '123e5';
  const server = spawn(binary, ['--config', join(folder, 'nats.conf')], {
    env: { NATS_PASSWORD: `"${password}"` },
    stdio: 'ignore',
  });
  try {
    const url = `nats://meterbook:${password}@127.0.0.1:${ports[0]}`;
    const connection = await connectStream(url, 'test', createLog('test', 'silent'));
    await ensureStreams(connection.jsm, SETTINGS);
    expect(await durabilityTold(connection, SETTINGS)).toEqual({ problems: [], unverified: [] });
    const stranger = url.replace(password, 'guess');
    await expect(connectStream(stranger, 'test', createLog('test', 'silent'))).rejects.toThrow(/auth/i);
    await connection.close();
  } finally {
    await killChild(server);
    release();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the role of docker-compose.yml, which may make neither roles nor databases, can migrate and hold the records', async () => {
  const [role = '', grant = ''] = [/CREATE ROLE :"name" .*;/, /GRANT meterbook_tenant TO meterbook;/].map(
    (statement) => statement.exec(compose('postgres-roles.sh'))?.[0],
  );
  const name = `compose_${newId('req')}`;
  const owner = createPool(stack().postgres_url);
  const url = new URL(stack().postgres_url);
  Object.assign(url, { username: name, password: 'secret', pathname: `/${name}` });
  const postgres = createPool(url.href);
  const clickhouse = createClickHouse(stack().clickhouse_url);
  try {
    await owner.query(role.replace(':"name"', name).replace(":'password'", "'secret'"));
    await owner.query(grant.replace('TO meterbook', `TO ${name}`));
    await owner.query(`CREATE DATABASE ${name} OWNER ${name}`);
    await migrate(postgres, clickhouse);
    const { account_id } = await createAccount(postgres, systemClock, { name: 'Acme', currency: 'usd', mode: 'live' });
    const seen = await inTransaction(postgres, account_id, (tx) => tx.query('SELECT account_id FROM accounts'));
    expect(seen.rows).toEqual([{ account_id }]);
  } finally {
    await Promise.all([postgres.end(), clickhouse.close()]);
    await owner.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await owner.query(`REVOKE meterbook_tenant FROM ${name}`);
    await owner.query(`DROP ROLE IF EXISTS ${name}`);
    await owner.end();
  }
});

test('ClickHouse knows every setting of the files of docker-compose.yml', async () => {
  const client = createClickHouse(stack().clickhouse_url);
  try {
    const named = [...compose('clickhouse-users.xml').matchAll(/<(\w+)>[\d]+<\/\1>/g)].map((match) => match[1] ?? '');
    const server = [...compose('clickhouse-server.xml').matchAll(/<(max_\w+)>/g)].map((match) => match[1] ?? '');
    expect(named.length * server.length).toBeGreaterThan(0);
    const answer = await client.query({
      query: `SELECT name FROM system.settings WHERE name IN {named:Array(String)}
              UNION ALL SELECT name FROM system.server_settings WHERE name IN {server:Array(String)}`,
      query_params: { named, server },
      format: 'JSONEachRow',
    });
    const known = (await answer.json<{ name: string }>()).map(({ name }) => name);
    expect(known.sort()).toEqual([...named, ...server].sort());
  } finally {
    await client.close();
  }
});
