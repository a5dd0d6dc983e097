import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadBundle } from '../../workflows/kept-bundle.ts';

test('the bundle of the same sources is kept, and made again for others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'meterbook-bundle-'));
  const file = join(folder, 'cache/bundle.json');
  let made = 0;
  const load = () => loadBundle(file, async () => ({ code: `${++made}`, sourceMap: '' }));
  expect(await load()).toMatchObject({ code: '1' });
  expect(await load()).toMatchObject({ code: '1' });
  const kept = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...kept, key: 'of other sources' }));
  expect(await load()).toMatchObject({ code: '2' });
  await writeFile(file, '');
  expect(await load()).toMatchObject({ code: '3' });
  await rm(folder, { recursive: true });
});
