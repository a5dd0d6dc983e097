import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'vite';
import { readDocument } from './document.ts';
import type { Assets } from './frame.ts';
import { searchIndexText } from './search-index.ts';
import { createSite } from './site.ts';

/** Where the service answers the folder of assets. */
const ASSETS = '/docs/assets';
const CLIENT = join(import.meta.dirname, 'client');

/** Writes the pages as HTML, and what they load under `assets/`: each file has a name that changes with what it holds. */
export async function writeSite(folder: string): Promise<void> {
  const site = createSite(readDocument());
  const assets = { ...(await bundleClient(folder)), searchIndex: await writeIndex(folder, searchIndexText(site)) };
  const pictures = site.guide.flatMap((page) => page.pictures);
  await Promise.all(pictures.map(({ file, name }) => copyFile(file, join(folder, 'assets', name))));
  await Promise.all(
    site.pages.map(async (page) => {
      const file = join(folder, `${page.path === '/docs' ? 'index' : page.path.replace('/docs/', '')}.html`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, site.html(page, assets));
    }),
  );
}

type Manifest = Record<string, { file: string; css?: string[]; isEntry?: boolean }>;

async function bundleClient(folder: string): Promise<Omit<Assets, 'searchIndex'>> {
  const input = join(CLIENT, 'main.ts');
  await build({
    configFile: false,
    root: CLIENT,
    base: '/docs/',
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: true,
      manifest: 'manifest.json',
      assetsInlineLimit: 0,
      rolldownOptions: { input },
    },
  });
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
  const [style] = entry?.css ?? [];
  if (!entry || !style) throw new Error('The bundle has no entry, or no style.');
  return { script: `/docs/${entry.file}`, style: `/docs/${style}` };
}

async function writeIndex(folder: string, text: string): Promise<string> {
  const name = `search-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.json`;
  await writeFile(join(folder, 'assets', name), text);
  return `${ASSETS}/${name}`;
}
