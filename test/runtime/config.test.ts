import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadLauncherConfig, loadProcessConfig } from '../../runtime/config.ts';
import { privateWebhooksOf } from '../../runtime/variables/outbound-variables.ts';

describe('AGGREGATOR_PARTITIONS', () => {
  test.each([
    ['0', [0]],
    ['0,2', [0, 2]],
    ['0-3', [0, 1, 2, 3]],
    ['8, 0-2,1', [0, 1, 2, 8]],
    ['255', [255]],
  ])('%s', (text, expected) => {
    expect(loadProcessConfig({ AGGREGATOR_PARTITIONS: text }).aggregatorPartitions).toEqual(expected);
  });

  test('absent or empty means all', () => {
    expect(loadProcessConfig({}).aggregatorPartitions).toBeUndefined();
    expect(loadProcessConfig({ AGGREGATOR_PARTITIONS: '' }).aggregatorPartitions).toBeUndefined();
  });

  test.each(['all', '-1', '3-1', '256', '0,,1', '0-', '1.5'])('%s is refused', (text) => {
    expect(() => loadProcessConfig({ AGGREGATOR_PARTITIONS: text })).toThrow('AGGREGATOR_PARTITIONS: must list');
  });
});

describe('CLICKHOUSE_CLUSTER', () => {
  test.each(['main', 'eu-1.prod', '{cluster}'])('%s', (name) => {
    expect(loadProcessConfig({ CLICKHOUSE_CLUSTER: name }).clickhouseCluster).toBe(name);
  });

  test.each(["a' SYNC", 'a b', '{', '`x`'])('%s is refused', (name) => {
    expect(() => loadProcessConfig({ CLICKHOUSE_CLUSTER: name })).toThrow('CLICKHOUSE_CLUSTER');
  });
});

describe('PUBLIC_URL', () => {
  test('is an origin without a path', () => {
    expect(loadProcessConfig({ PUBLIC_URL: 'https://billing.example' }).publicOrigin).toBe('https://billing.example');
    expect(loadProcessConfig({ PUBLIC_URL: '' }).publicOrigin).toBeUndefined();
  });

  test.each([loadProcessConfig, loadLauncherConfig])('anything else is refused by %o', (load) => {
    for (const text of ['https://billing.example/', 'https://billing.example/a', 'billing.example']) {
      expect(() => load({ PUBLIC_URL: text })).toThrow('PUBLIC_URL: must be an origin without a path');
    }
  });
});

test('REUSE_PORT', () => {
  expect(loadProcessConfig({ REUSE_PORT: 'true' }).reusePort).toBe(true);
  expect(loadProcessConfig({ REUSE_PORT: 'false' }).reusePort).toBe(false);
  expect(loadProcessConfig({}).reusePort).toBe(false);
  expect(() => loadProcessConfig({ REUSE_PORT: 'yes' })).toThrow('REUSE_PORT');
});

test('<NAME>_FILE names a file with the value, and contradicts the value itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'meterbook-config-'));
  const file = join(folder, 'database-url');
  writeFileSync(file, 'postgres://u:secret@db/meterbook\n');
  try {
    const environment = { DATABASE_URL_FILE: file };
    expect(loadProcessConfig(environment).databaseUrl).toBe('postgres://u:secret@db/meterbook');
    expect(loadProcessConfig({ ...environment, DATABASE_URL: '' }).databaseUrl).toBe(
      'postgres://u:secret@db/meterbook',
    );
    expect(() => loadProcessConfig({ ...environment, DATABASE_URL: 'x' })).toThrow(
      'DATABASE_URL and DATABASE_URL_FILE',
    );
    expect(() => loadProcessConfig({ DATABASE_URL_FILE: join(folder, 'none') })).toThrow(/DATABASE_URL_FILE: .*none/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('secrets', () => {
  const key = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

  test.each(['a'.repeat(32), 'mb_test_0123456789abcdefghijklmnopqrstuvwxyz'])('API_KEY %s', (text) => {
    expect(loadLauncherConfig({ API_KEY: text }).apiKey).toBe(text);
  });

  test.each(['a-key-of-my-own-choice', 'a'.repeat(31), `${'a'.repeat(32)} b`, `${'ä'.repeat(32)}`])(
    'API_KEY %s is refused: it says what to do, and does not tell the key',
    (text) => {
      const start = () => loadLauncherConfig({ API_KEY: text });
      expect(start).toThrow(/API_KEY: must have at least 32 characters.*openssl rand -hex 32/);
      expect(start).not.toThrow(text);
    },
  );

  test('API_KEY that is empty is none', () => {
    expect(loadLauncherConfig({ API_KEY: '' }).apiKey).toBeUndefined();
  });

  test.each([
    'k1',
    'k1:short',
    `${key},k1:${Buffer.alloc(32, 8).toString('base64')}`,
    `k1:${Buffer.alloc(31, 7).toString('base64')}`,
    `${key}\n\nk2`,
  ])('ENCRYPTION_KEYS %j are refused by their name, not told', (text) => {
    const load = () => loadProcessConfig({ ENCRYPTION_KEYS: text }).loadEncryptionKeys();
    expect(load).toThrow(/^Wrong environment variables: ENCRYPTION_KEYS: must list/);
    expect(load).not.toThrow('BwcH');
  });

  test('keys are what was listed, in either alphabet of base64', () => {
    const url = `k2:${Buffer.alloc(32, 255).toString('base64url')}`;
    const keys = loadProcessConfig({ ENCRYPTION_KEYS: `${key}, ${url}` }).loadEncryptionKeys();
    expect(keys).toEqual([
      { keyId: 'k1', key: Buffer.alloc(32, 7) },
      { keyId: 'k2', key: Buffer.alloc(32, 255) },
    ]);
  });

  const stripe = { STRIPE_CLIENT_ID: 'ca_1', STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };

  test('a processor is set whole or not at all', () => {
    expect(loadProcessConfig(stripe).loadProcessors()).toMatchObject({ stripe: { webhookSecret: 'whsec_1' } });
    expect(loadProcessConfig({}).loadProcessors()).toEqual({});
    expect(() => loadProcessConfig({ ...stripe, STRIPE_WEBHOOK_SECRET: '' })).toThrow(
      'STRIPE_WEBHOOK_SECRET must be set as well',
    );
    expect(() => loadProcessConfig({ BRAINTREE_CLIENT_ID: 'client' })).toThrow(
      'BRAINTREE_SECRET_KEY and BRAINTREE_WEBHOOK_SECRET must be set as well',
    );
  });

  test.each([
    [{ ...stripe, STRIPE_SECRET_KEY: 'sk_live\n' }, 'STRIPE_SECRET_KEY: must be one word'],
    [{ ...stripe, STRIPE_WEBHOOK_SECRET: ' whsec' }, 'STRIPE_WEBHOOK_SECRET: must be one word'],
    [{ BRAINTREE_WEBHOOK_SECRET: 'no-colon' }, 'BRAINTREE_WEBHOOK_SECRET: must be <public key>:<private key>'],
  ])('%j is refused', (environment, message) => {
    expect(() => loadProcessConfig(environment)).toThrow(message);
  });

  test.each([
    ['{"STRIPE_SECRET_KEY": "sk_live_1" "STRIPE', /PROCESSORS_FILE: .* is not a JSON object of texts/],
    ['["sk_live_1"]', /PROCESSORS_FILE: .* is not a JSON object of texts/],
    ['{"STRIPE_SECRET_KEY": "sk_live_1 "}', /in PROCESSORS_FILE .*\n.*STRIPE_SECRET_KEY: must be one word/],
  ])('PROCESSORS_FILE with %s is refused, and nothing of it is told', (text, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'meterbook-config-'));
    const file = join(folder, 'processors.json');
    writeFileSync(file, text);
    try {
      const load = () => loadProcessConfig({ PROCESSORS_FILE: file }).loadProcessors();
      expect(load).toThrow(message);
      expect(load).not.toThrow('sk_live');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('WEBHOOK_ALLOW_PRIVATE', () => {
  test.each([
    [{}, true],
    [{ HOST: '127.0.0.2' }, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '10.1.2.3' }, false],
    [{ HOST: '::' }, false],
    [{ HOST: 'billing.internal' }, false],
    [{ WEBHOOK_ALLOW_PRIVATE: 'false' }, false],
    [{ HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE: 'false' }, false],
    [{ HOST: '127.0.0.1', WEBHOOK_ALLOW_PRIVATE: 'true' }, true],
  ])('of a local stack, %j: %s', (environment, expected) => {
    expect(privateWebhooksOf(environment)).toBe(expected);
    expect(() => loadLauncherConfig(environment)).not.toThrow();
  });

  test.each(['0.0.0.0', '::', '10.1.2.3', 'billing.internal'])('true is refused with HOST %s', (HOST) => {
    const environment = { HOST, WEBHOOK_ALLOW_PRIVATE: 'true' };
    for (const load of [loadLauncherConfig, loadProcessConfig]) {
      expect(() => load(environment)).toThrow(`WEBHOOK_ALLOW_PRIVATE: must not be true with HOST ${HOST}`);
    }
  });
});

test('OUTBOUND_PROXY_URL is an http or https URL', () => {
  const proxyOf = (OUTBOUND_PROXY_URL: string) => loadProcessConfig({ OUTBOUND_PROXY_URL }).outboundProxy;
  expect(proxyOf('http://user:secret@proxy.internal:3128')?.host).toBe('proxy.internal:3128');
  expect(proxyOf('')).toBeUndefined();
  for (const wrong of ['proxy:3128', 'socks5://proxy:1080', 'proxy'])
    expect(() => proxyOf(wrong)).toThrow('OUTBOUND_PROXY_URL: must be an http or https URL');
});
