import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isPortFree, reservePorts } from '../../local/free-ports.ts';
import { askHolder, holdName } from '../../local/name-lock.ts';
import { killChild } from '../stack/kill-child.ts';

const name = `test/${process.pid}`;

test('a name is held once, says whose it is, and is free again after its release', async () => {
  const lock = await holdName(name, () => 'at home');
  expect(lock).not.toBeNull();
  expect(await holdName(name)).toBeNull();
  expect(await askHolder(name)).toBe('at home');
  lock?.release();
  expect(await askHolder(name)).toBeNull();
  (await holdName(name))?.release();
});

test('the death of its holder frees a name', async () => {
  const module = join(import.meta.dirname, '../../local/name-lock.ts');
  const code = `import { holdName } from ${JSON.stringify(module)}; await holdName('${name}/dying'); console.log('held'); setInterval(() => {}, 1e6)`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  expect(await holdName(`${name}/dying`)).toBeNull();
  await killChild(holder);
  (await holdName(`${name}/dying`))?.release();
});

test('ports: stable by seed, never shared while reserved, never one in use', async () => {
  const first = await reservePorts(name, 12);
  const second = await reservePorts(name, 12);
  expect(first.ports.filter((port) => second.ports.includes(port))).toEqual([]);
  first.release();
  second.release();
  const again = await reservePorts(name, 12);
  expect(again.ports).toEqual(first.ports);
  again.release();

  const user = createServer().listen(first.ports[3], '127.0.0.1');
  await once(user, 'listening');
  expect(await isPortFree(first.ports[3] ?? 0)).toBe(false);
  const besides = await reservePorts(name, 12);
  expect(besides.ports).not.toContain(first.ports[3]);
  besides.release();
  user.close();
});
