import { join } from 'node:path';
import { buildOnce } from '../../build/build-once.ts';

const DIST = join(import.meta.dirname, 'dist');
/** Pages of the guide that are not in docs/guide. */
const PAGES = ['docs/senders.md', 'docs/from-openmeter-lago-litellm.md', 'docs/calendars.md', 'docs/pricing.md'];

/** Builds the pages of `/docs` into `docs/site/dist`, unless they have been built from just these files. */
export function buildDocs(log: (line: string) => void): Promise<void> {
  const sources = ['docs/guide', ...PAGES, 'docs/pictures', 'docs/site', 'api/openapi.json'];
  const make = async (folder: string) => {
    // Most starts build nothing: what it takes is loaded by those that do.
    const { writeSite } = await import('./write-site.ts');
    await writeSite(folder);
  };
  return buildOnce({ name: 'pages of /docs are', dist: DIST, sources, needs: 'vite', make }, log);
}
