import { writeFile } from 'node:fs/promises';
import { openApiText } from './openapi.ts';
import { OPERATIONS } from './routes.ts';

// `npm run openapi`: what a client generator reads without a running service.
await writeFile(new URL('openapi.json', import.meta.url), openApiText(OPERATIONS));
