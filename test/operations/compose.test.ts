import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { OUR_PROGRAMS, type OurName, SMALLER } from '../../local/our-processes.ts';
import { processSchema } from '../../runtime/config.ts';

type Service = {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  configs?: { source: string }[];
  volumes?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  restart?: string;
};
type Compose = {
  services: Record<string, Service>;
  configs: Record<string, { file: string }>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, unknown>;
};

/** No container runs here: the file is held to what can be told by reading it. */
const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.build !== undefined);

describe('docker-compose.yml', () => {
  test('runs the same programs as the local stack', () => {
    const optionsOf = (name: string) => SMALLER[name as OurName]?.nodeOptions ?? [];
    const commands = ours.map(([name, { command = [] }]) => [name, command.slice(0, optionsOf(name).length + 2)]);
    const local = Object.entries(OUR_PROGRAMS).map(([name, file]) => {
      return [name, ['node', ...optionsOf(name), file.slice(root.length + 1)]];
    });
    expect(Object.fromEntries(commands)).toEqual(Object.fromEntries(local));
  });

  test('sets only variables that the processes read', () => {
    const known = Object.keys(processSchema.shape).flatMap((name) => [name, `${name}_FILE`]);
    for (const [name, { environment = {} }] of ours) {
      const smaller = Object.entries(SMALLER[name as OurName]?.environment ?? {});
      expect(environment).toMatchObject(Object.fromEntries(smaller));
      const also = smaller.map(([variable]) => variable);
      expect(Object.keys(environment).filter((set) => ![...known, ...also].includes(set))).toEqual([]);
    }
  });

  test('whatever holds a password comes from a secret', () => {
    for (const [name, { environment = {}, secrets = [] }] of services) {
      for (const [variable, value] of Object.entries(environment)) {
        const secret = /^\/run\/secrets\/(.+)$/.exec(String(value))?.[1];
        if (secret !== undefined) expect(secrets, `${name}: ${variable}`).toContain(secret);
        else expect(variable, name).not.toMatch(/PASSWORD|PWD|SECRET|^(DATABASE|NATS|CLICKHOUSE)_URL$/);
      }
    }
  });

  test('every secret, file and volume that it names is there', () => {
    const made = readFileSync(join(root, 'operations/make-secrets.sh'), 'utf8');
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`secrets/${name}`);
      expect(made).toContain(name.replace(/-password$/, ''));
    }
    for (const { file } of Object.values(compose.configs)) expect(existsSync(join(root, file)), file).toBe(true);
    for (const [name, service] of services) {
      for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets), name).toContain(secret);
      for (const { source } of service.configs ?? []) expect(Object.keys(compose.configs), name).toContain(source);
      for (const volume of service.volumes ?? [])
        expect(Object.keys(compose.volumes), name).toContain(volume.split(':')[0]);
    }
  });

  test('waits only for what says that it is healthy, and starts everything again', () => {
    for (const [name, service] of services) {
      expect(service.restart, name).toBe('unless-stopped');
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const isOrderOnly = name === 'ingest' && other === 'aggregator';
        expect(condition, `${name} waits for ${other}`).toBe(isOrderOnly ? 'service_started' : 'service_healthy');
        expect(compose.services[other]?.healthcheck?.test.length, other).toBeGreaterThan(1);
      }
    }
  });

  test('no edge is newer than the aggregator', () => {
    expect(Object.keys(compose.services.ingest?.depends_on ?? {})).toEqual([
      ...Object.keys(compose.services.api?.depends_on ?? {}),
      'aggregator',
    ]);
  });

  test('images have a version', () => {
    const images = services.filter(([, { build }]) => build === undefined).map(([, { image }]) => image);
    expect(images.filter((image) => !/:\d+(\.\d+)*(-\w+)?$/.test(image))).toEqual([]);
  });

  const hasClient = spawnSync('docker', ['compose', 'version']).status === 0;
  test.skipIf(!hasClient)('docker compose takes it', () => {
    execFileSync('docker', ['compose', '--file', join(root, 'docker-compose.yml'), 'config', '--quiet'], { cwd: root });
  });
});
