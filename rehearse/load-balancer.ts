import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ChildProcess } from '../local/child-process.ts';
import { childEnvironment, type EngineContext, logFile } from '../local/engines/engine.ts';
import { shipped, upstreamIn } from './shipped.ts';

/** Ports of what stands behind the load balancer and of its two addresses. */
export type BalancedPorts = { edges: number[]; apis: number[]; front: number; api: number };

/** Of whatever stands behind it: until then it answers 502 itself. */
const PROBE_MS = 2_000;
const PROXY = 'compose/proxy.conf';
const BALANCER = 'cluster/api-balancer.conf';

/** nginx with the shipped configuration: one address over the edges, for the world, and one over the APIs, for the edges. */
export function createLoadBalancer(context: EngineContext, program: string, ports: BalancedPorts): ChildProcess {
  const folder = join(context.dataDir, 'nginx');
  const file = join(folder, 'nginx.conf');
  return new ChildProcess(
    {
      name: 'nginx',
      command: program,
      args: ['-p', folder, '-c', file, '-e', logFile(context, 'nginx')],
      environment: childEnvironment(context),
      logFile: logFile(context, 'nginx'),
      isReady: () =>
        fetch(`http://127.0.0.1:${ports.front}/livez`, { signal: AbortSignal.timeout(PROBE_MS) }).then(() => true),
      beforeStart: async () => {
        await mkdir(folder, { recursive: true });
        await writeFile(file, configuration(folder, ports));
      },
    },
    context.observer,
  );
}

/** What of the two shipped files is of this machine: who stands behind them, and their own ports. */
function configuration(folder: string, { edges, apis, front, api }: BalancedPorts): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const proxy = shipped(PROXY, {
    [upstreamIn(PROXY, 'ingest')]: upstream('ingest', edges),
    'listen 8080;': `listen 127.0.0.1:${front};`,
  });
  const balancer = shipped(BALANCER, {
    [upstreamIn(BALANCER, 'api')]: upstream('api', apis),
    'listen 8081;': `listen 127.0.0.1:${api};`,
  });
  return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
events {}
http {
access_log off;
${temporary.join('\n')}
${proxy}
${balancer}
}
`;
}

function upstream(name: string, ports: number[]): string {
  const servers = ports.map((port) => `  server 127.0.0.1:${port};`);
  return `upstream ${name} {\n${servers.join('\n')}\n  keepalive 64;\n}\n`;
}

/**
 * nginx on this machine, else Debian's package, unpacked into the cache and not installed. Throws with advice where there is neither.
 */
export async function findNginx(cacheDir: string, searchPath: string): Promise<string> {
  const folders = [...searchPath.split(delimiter), '/usr/sbin'];
  const installed = folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path));
  if (installed) return installed;
  const unpacked = join(cacheDir, 'nginx-debian');
  if (!existsSync(unpacked)) await unpackDebian(cacheDir, unpacked);
  return join(unpacked, 'usr/sbin/nginx');
}

async function unpackDebian(cacheDir: string, target: string): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  const work = await mkdtemp(join(cacheDir, '.fetching-'));
  const run = promisify(execFile);
  try {
    await run('apt-get', ['download', 'nginx'], { cwd: work });
    const [file = ''] = (await readdir(work)).filter((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['--extract', join(work, file), join(work, 'unpacked')]);
    await rename(join(work, 'unpacked'), target);
  } catch (error) {
    throw new Error(
      `nginx is missing and can't be fetched (${error instanceof Error ? error.message : error}). Install it.`,
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
