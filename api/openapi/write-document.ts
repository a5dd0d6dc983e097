import { writeFile } from 'node:fs/promises';
import { OPERATIONS } from '../routes.ts';
import { openApiText } from './document.ts';

// `npm run openapi`: what a client generator reads without a running service.
await writeFile(new URL('../openapi.json', import.meta.url), openApiText(OPERATIONS));
