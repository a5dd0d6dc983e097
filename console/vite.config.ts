import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { NONCE_PLACE } from './build/paths.ts';

/** Where `npm start` serves the API, for the developers' mode. */
const API = 'http://localhost:8080';

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  html: { cspNonce: NONCE_PLACE },
  build: { assetsInlineLimit: 0, reportCompressedSize: false, chunkSizeWarningLimit: 1_000 },
  server: { proxy: { '/api': API, '/console/session': API } },
});
