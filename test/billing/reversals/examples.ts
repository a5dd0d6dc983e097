import { FEE_CASES, USAGE_CASES } from './cases.ts';
import type { Example } from './example.ts';
import { JANUARY } from './january.ts';

/** The worked examples of how money goes back. */
export const EXAMPLES: readonly Example[] = [...JANUARY, ...FEE_CASES, ...USAGE_CASES];
