import { join } from 'node:path';

/** The repository, and this folder in it. */
export const ROOT = join(import.meta.dirname, '../..');
export const CONSOLE = join(ROOT, 'console');
/** What the build makes out of the API's document; it is not committed. */
export const GENERATED = join(CONSOLE, 'generated');
/** The build, as the API serves it. */
export const DIST = join(CONSOLE, 'dist');
/** Stands in the built page wherever its nonce has to be; whoever serves it writes a new one there each time. */
export const NONCE_PLACE = 'NONCE-OF-THIS-ANSWER';
