import { join } from 'node:path';

/** The repository, and this folder in it. */
export const ROOT = join(import.meta.dirname, '../..');
export const CONSOLE = join(ROOT, 'console');
/** What the build makes out of the API's document; it is not committed. */
export const GENERATED = join(CONSOLE, 'generated');
/** The pages that are built; the API serves each from the folder of its name in `DIST`. */
export const PAGE_NAMES = ['console', 'portal'] as const;
export type PageName = (typeof PAGE_NAMES)[number];
/** The build. */
export const DIST = join(CONSOLE, 'dist');
/** Stands in the built page wherever its nonce has to be; whoever serves it writes a new one there each time. */
export const NONCE_PLACE = 'NONCE-OF-THIS-ANSWER';
