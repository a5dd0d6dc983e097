import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { NONCE_PLACE, type PageName } from './build/paths.ts';

/** Where `npm start` serves the API, for the developers' mode. It is told the host of the page, or its answer to a log-in is that of another origin. */
const API = { target: 'http://localhost:8080', changeOrigin: false };

/** Each page of ours: where its sources are, and what of its addresses the API answers itself in the developers' mode. */
const PAGES = {
  console: { root: '.', proxied: ['/api', '/console/session'] },
  portal: { root: 'portal', proxied: ['^/portal/[^/]+/api/'] },
} as const satisfies Record<PageName, object>;

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default defineConfig(({ mode }) => {
  const name: PageName = mode === 'portal' ? 'portal' : 'console';
  const { root, proxied } = PAGES[name];
  return {
    root: join(import.meta.dirname, root),
    base: `/${name}/`,
    plugins: [react()],
    html: { cspNonce: NONCE_PLACE },
    build: { assetsInlineLimit: 0, reportCompressedSize: false, chunkSizeWarningLimit: 1_000 },
    server: { proxy: Object.fromEntries(proxied.map((path) => [path, API])) },
  };
});
