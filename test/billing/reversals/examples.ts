import type { Example } from './example.ts';
import { FEE_CASES } from './fee-cases.ts';
import { JANUARY } from './january.ts';
import { USAGE_CASES } from './usage-cases.ts';

/** The worked examples of how money goes back. */
export const EXAMPLES: readonly Example[] = [...JANUARY, ...FEE_CASES, ...USAGE_CASES];
