import { isDeepStrictEqual } from 'node:util';
import type { Life } from '../lives/life.ts';
import { compareDraft } from './compare.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { randomLife } from './random-life.ts';
import { shrink } from './shrink.ts';

/**
 * Looks for lives whose draft and invoices differ, and prints each kind once, shrunk: `node test/billing/gate/search.ts <lives> <seed>`.
 */
const [LIVES, FIRST] = [Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 1)];
const errors = new Map<string, Life>();
const kinds = new Map<string, number>();

function differs(life: Life): boolean {
  try {
    const { compared } = compareDraft(life, KNOWN_DIFFERENCES);
    return compared.some(({ drafted, issued }) => !isDeepStrictEqual(drafted, issued));
  } catch (error) {
    errors.set(String(error), life);
    return false;
  }
}

function kindOf({ steps, customers, plans }: Life): string {
  const acts = steps.map((step) => {
    const marks = Object.keys(step).filter((key) =>
      ['inDays', 'atEnd', 'of', 'phases', 'discounts', 'trialDays'].includes(key),
    );
    return `${step.do}${marks.length ? `(${marks})` : ''}`;
  });
  const timing = Object.values(plans).some((plan) => plan.timing === 'in_arrears') ? ' arrears' : '';
  return `${acts.join(' ')}${customers.length > 1 ? ' family' : ''}${timing}`;
}

let compared = 0;
let failed = 0;
for (let seed = FIRST; seed < FIRST + LIVES; seed++) {
  const life = randomLife(seed);
  for (let n = 1; n <= life.steps.length; n++) {
    const cut = { ...life, steps: life.steps.slice(0, n) };
    compared++;
    if (!differs(cut)) continue;
    failed++;
    const small = shrink(cut, differs);
    const kind = kindOf(small);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kinds.get(kind) !== 1) break;
    const { compared: both } = compareDraft(small, KNOWN_DIFFERENCES);
    console.log(`--- seed ${seed} ${kind}\n${JSON.stringify(small)}`);
    for (const one of both) if (!isDeepStrictEqual(one.drafted, one.issued)) console.log(JSON.stringify(one, null, 1));
    break;
  }
}
console.log(`${LIVES} lives from seed ${FIRST}, ${compared} drafts, ${failed} lives differ`);
for (const [kind, count] of [...kinds].toSorted((a, b) => b[1] - a[1])) console.log(String(count).padStart(6), kind);
for (const [error, life] of errors) console.log(error, JSON.stringify(life));
