import { expect, test } from 'vitest';
import { firstOf } from '../../cli/drill/drill.ts';

const findings = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ what: `row ${i}`, account_id: 'acct_1', in_backup: '1', running: '2' }));

test('a drill shows its first hundred findings, and says how many more there are', () => {
  expect(firstOf([])).toEqual([]);
  expect(firstOf(findings(100))).toEqual(findings(100));
  const shown = firstOf(findings(523));
  expect(shown.slice(0, 100)).toEqual(findings(100));
  expect(shown.slice(100)).toMatchObject([{ what: '423 more findings, which are not shown', account_id: null }]);
});
