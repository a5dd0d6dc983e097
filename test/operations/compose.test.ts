import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { OUR_PROGRAMS, type OurName, SMALLER } from '../../local/our-processes.ts';
import { launcherSchema, processSchema } from '../../runtime/config.ts';

type Service = {
  image: string;
  build?: object;
  profiles?: string[];
  user?: string;
  networks?: string[];
  ports?: string[];
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  read_only?: boolean;
  mem_limit?: string;
  logging?: { options?: Record<string, string> };
  privileged?: boolean;
  network_mode?: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  configs?: { source: string; target: string }[];
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
  networks: Record<string, { internal?: boolean } | null>;
};

/** What an entrypoint needs that gives its folders to another user and becomes it. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];
/** No container runs here: the file is held to what can be told by reading it. */
const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.build !== undefined && service.profiles === undefined);
/** Those that do their work and end. */
const JOBS = ['temporal-schema', 'temporal-namespace', 'cli', 'drill'];

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
      if (!JOBS.includes(name)) expect(service.restart, name).toBe('unless-stopped');
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const isOrderOnly = other === 'aggregator' || other === 'temporal-ui';
        const isJob = JOBS.includes(other);
        const wanted = isOrderOnly ? 'service_started' : isJob ? 'service_completed_successfully' : 'service_healthy';
        expect(condition, `${name} waits for ${other}`).toBe(wanted);
        if (wanted === 'service_healthy')
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

  test('images have an exact version, and a variable that holds them to a digest', () => {
    const images = services.filter(([, { build }]) => build === undefined).map(([, { image }]) => image);
    expect(images.filter((image) => !/^\$\{[A-Z_]+_IMAGE:-[\w./-]+:v?\d+\.\d+[\w.-]*\}$/.test(image))).toEqual([]);
    const base = /^ARG NODE_IMAGE=(\S+)\nFROM \$\{NODE_IMAGE\}/m.exec(read('Dockerfile'))?.[1];
    for (const [, { build }] of ours) expect(build).toMatchObject({ args: { NODE_IMAGE: `\${NODE_IMAGE:-${base}}` } });
  });

  test('the image builds its pages from all that they are made of', () => {
    const [stage = ''] = read('Dockerfile').split('\nFROM ').slice(1);
    for (const path of ['tsconfig.json ./', 'api/openapi.json api/', 'build build', 'console console', 'docs docs'])
      expect(stage).toContain(`\nCOPY ${path}\n`);
    for (const dist of ['console/dist', 'docs/site/dist'])
      expect(read('Dockerfile')).toContain(`COPY --from=pages /app/${dist} ${dist}\n`);
  });

  test('no image that its makers have given up', () => {
    expect(text).not.toContain('auto-setup');
  });

  test.each(services)('%s is contained', (name, service) => {
    expect(service).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      read_only: true,
      logging: { options: { 'max-size': expect.stringMatching(/^\d+m$/), 'max-file': expect.stringMatching(/^\d+$/) } },
      mem_limit: expect.stringMatching(/^(\$\{[A-Z_]+:-)?\d+[mg]\}?$/),
    });
    expect(service.privileged ?? service.network_mode).toBeUndefined();
    // Only an entrypoint that becomes another user has rights of its own: none that reaches out of the container.
    expect(CAPABILITIES).toEqual(expect.arrayContaining(service.cap_add ?? []));
    expect((service.cap_add ?? []).length > 0, name).toBe(/^(drill-)?(postgres|records|clickhouse)$/.test(name));
    // What is written is a volume or forgotten.
    const folders = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(folders));
  });

  test('networks are apart: each service is where it has somebody to speak with, and only there', () => {
    const networks = Object.fromEntries(services.map(([name, service]) => [name, service.networks]));
    expect(networks).toEqual({
      ...{ proxy: ['front'], ingest: ['front', 'back', 'data'] },
      ...{ aggregator: ['back', 'data'], worker: ['back', 'data'], api: ['back', 'data'], cli: ['data'] },
      ...{ postgres: ['data'], nats: ['data'], clickhouse: ['data'], temporal: ['data'] },
      ...{
        'drill-postgres': ['data'],
        'drill-records': ['data'],
        'drill-nats': ['data'],
        'drill-clickhouse': ['data'],
      },
      ...{ archive: ['data'], drill: ['data'] },
      ...{ 'temporal-schema': ['data'], 'temporal-namespace': ['data'], 'temporal-ui': ['data'] },
      ...{ 'temporal-ui-guard': ['data', 'ui'], prometheus: ['back', 'monitoring'], grafana: ['monitoring'] },
    });
    expect(compose.networks.data).toEqual({ internal: true });
  });

  test('one port is for the world; what asks for no key is for this machine alone', () => {
    const ports = Object.fromEntries(services.flatMap(([name, { ports }]) => (ports ? [[name, ports]] : [])));
    expect(ports).toEqual({
      proxy: [expect.stringMatching(/^\$\{PORT:-\d+\}:8080$/)],
      'temporal-ui-guard': [expect.stringMatching(/^127\.0\.0\.1:/)],
      grafana: [expect.stringMatching(/^127\.0\.0\.1:/)],
    });
  });

  test('the guard of the Temporal UI lets in this machine by its own names, and no foreign page', () => {
    const conf = read('operations/compose/temporal-ui-guard.conf');
    const [, ours = ''] = /"~(\^\(127.*?)" 1;/.exec(conf) ?? [];
    const origins = [...(/\$is_foreign \{(.*)\}/.exec(conf)?.[1] ?? '').matchAll(/"~(.*?)" 0;/g)].map(
      ([, one = '']) => new RegExp(one),
    );
    const passes = (host: string, origin: string) =>
      new RegExp(ours).test(host) && origins.some((one) => one.test(`${origin}|${host}`));
    for (const host of ['127.0.0.1:8233', 'localhost:8233', '[::1]:8233']) {
      expect(passes(host, ''), host).toBe(true);
      expect(passes(host, `http://${host}`), host).toBe(true);
      expect(passes(host, 'https://page.example'), host).toBe(false);
      expect(passes(host, 'null'), host).toBe(false);
    }
    expect(passes('page.example:8233', '')).toBe(false);
    expect(passes('127.0.0.1.page.example:8233', 'http://127.0.0.1.page.example:8233')).toBe(false);
  });

  test('Temporal reads a configuration of ours, with as many shards as the databases were made with', () => {
    const rendered = read('operations/compose/temporal.yaml.tmpl')
      .replaceAll(/\{\{ env "(\w+)" \| quote \}\}/g, '"$1"')
      .replaceAll(/\{\{ env "(\w+)" \}\}/g, '$1');
    const config = parse(rendered, { merge: true });
    const { numHistoryShards, datastores } = config.persistence;
    expect(numHistoryShards).toBe(4);
    expect(datastores.default.sql).toMatchObject({ databaseName: 'temporal', password: 'TEMPORAL_DB_PASSWORD' });
    expect(datastores.visibility.sql).toMatchObject({ databaseName: 'temporal_visibility', user: 'temporal' });
    expect(config.services.frontend.rpc).toMatchObject({ grpcPort: 7233, bindOnIP: 'TEMPORAL_BIND_IP' });
    const mounted = compose.services.temporal?.configs?.find(
      ({ target }) => target === config.dynamicConfigClient.filepath,
    );
    const dynamic = parse(read(compose.configs[mounted?.source ?? '']?.file ?? ''));
    expect(dynamic['matching.enableFairness']).toEqual([{ value: true }]);
    for (const name of ['TEMPORAL_DB_PASSWORD', 'TEMPORAL_BIND_IP'])
      expect(compose.services.temporal?.command?.join(), name).toContain(`${name}=`);
  });

  test('monitoring runs on the shipped configuration, and only when it is asked for', () => {
    for (const name of ['prometheus', 'grafana']) expect(compose.services[name]?.profiles).toEqual(['monitoring']);
    const files = (name: string) =>
      (compose.services[name]?.configs ?? []).map(({ source }) => compose.configs[source]?.file);
    expect(files('prometheus')).toEqual(['operations/prometheus.yml', 'operations/alerts.yml']);
    expect(files('grafana')).toContain('operations/dashboard.json');
    const { datasources } = parse(read('operations/compose/grafana-datasource.yml'));
    expect(datasources[0].url).toBe('http://prometheus:9090');
    const scraped = [...read('operations/prometheus.yml').matchAll(/names: \[(\w+)\]/g)].map(([, name]) => name);
    for (const name of scraped) expect(compose.services[name ?? '']?.networks, name).toContain('back');
  });

  test('backups go to a volume that the commands have, which may write there', () => {
    expect(compose.services.cli).toMatchObject({ profiles: ['tools'], volumes: ['backups:/backups'] });
    expect(read('Dockerfile')).toContain('install -d -o node -g node /backups');
    const documented = read('operations/docker.md') + read('operations/backup.md');
    for (const command of ['backup /backups/', 'restore /backups/', 'new-epoch'])
      expect(documented).toContain(`docker compose run --rm cli ${command}`);
  });

  test('a drill has engines of its own, as those that run, which hold nothing of theirs', () => {
    const made = mkdtempSync(join(tmpdir(), 'meterbook-secrets-'));
    try {
      mkdirSync(join(made, 'operations'));
      copyFileSync(join(root, 'operations/make-secrets.sh'), join(made, 'operations/make-secrets.sh'));
      execFileSync('sh', [join(made, 'operations/make-secrets.sh')]);
      const secretOf = (name: string) => `${name.replace('postgres', 'database')}-url`;
      for (const name of ['drill-postgres', 'drill-records', 'drill-nats', 'drill-clickhouse']) {
        const engine = name === 'drill-records' ? 'postgres' : name.replace('drill-', '');
        const { volumes = [], ...own } = compose.services[name] ?? {};
        expect(own).toEqual({ ...compose.services[engine], profiles: ['drill'], volumes: undefined });
        expect(volumes).toEqual(compose.services[engine]?.volumes?.map((volume) => volume.replace(engine, name)));
        const addressOf = (secret: string) => new URL(readFileSync(join(made, 'secrets', secret), 'utf8')).host;
        expect(addressOf(secretOf(name))).toBe(addressOf(secretOf(engine)).replace(engine, name));
        expect(read('operations/nightly.sh')).toContain(`meterbook_${name}`);
      }
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
    const variables = Object.keys({ ...compose.services.drill?.environment, ...compose.services.archive?.environment });
    const known = [...Object.keys(processSchema.shape), ...Object.keys(launcherSchema.shape)];
    expect(variables.filter((name) => !known.includes(name.replace(/_FILE$/, '')))).toEqual([]);
  });

  test('nightly.sh drills the archive where one is kept, and ends with the code of the drill', () => {
    const folder = mkdtempSync(join(tmpdir(), 'meterbook-nightly-'));
    const nightly = (kept: string) => {
      const docker = `case "$*" in *"ps --quiet archive") echo ${kept};; *"drill drill "*) echo "$*" >> drilled; exit 3;; *"restore-records"*) exit 1;; esac`;
      writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 });
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
      rmSync(join(folder, 'drilled'), { force: true });
      expect(spawnSync('sh', [join(folder, 'operations/nightly.sh')], { env }).status).toBe(3);
      return readFileSync(join(folder, 'drilled'), 'utf8');
    };
    try {
      mkdirSync(join(folder, 'operations'));
      copyFileSync(join(root, 'operations/nightly.sh'), join(folder, 'operations/nightly.sh'));
      expect(nightly('')).toMatch(/ drill drill \/backups *$/m);
      // Also where it can't be brought back: the drill says so.
      expect(nightly('a1b2c3')).toMatch(/ drill drill \/backups --archive \/backups\/archive$/m);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('lock-images.sh writes a digest for every image, and nothing where one is missing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'meterbook-lock-'));
    try {
      mkdirSync(join(folder, 'operations'));
      for (const file of ['docker-compose.yml', 'operations/lock-images.sh'])
        copyFileSync(join(root, file), join(folder, file));
      const lock = (answer: string) => {
        writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
        const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
        return spawnSync('sh', [join(folder, 'operations/lock-images.sh')], { env, encoding: 'utf8' });
      };
      expect(lock('echo no such image').status).toBe(1);
      expect(existsSync(join(folder, 'images.env'))).toBe(false);
      const digest = `sha256:${'ab12'.repeat(16)}`;
      const { status, stderr } = lock(`[ "$1 $2 $3" = "buildx imagetools inspect" ] && echo ${digest}`);
      expect(status, stderr).toBe(0);
      const lines = readFileSync(join(folder, 'images.env'), 'utf8').trim().split('\n');
      const named = new Set(
        [...text.matchAll(/\$\{([A-Z_]+_IMAGE):-([^}]+)\}/g)].map(([, name, image]) => `${name}=${image}@${digest}`),
      );
      expect(lines).toEqual([...named].sort());
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const hasClient = spawnSync('docker', ['compose', 'version']).status === 0;
  test.skipIf(!hasClient)('docker compose takes it', () => {
    execFileSync('docker', ['compose', '--file', join(root, 'docker-compose.yml'), 'config', '--quiet'], { cwd: root });
  });
});
