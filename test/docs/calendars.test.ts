import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { anchorOf, type PlanCalendar } from '../../billing/periods/calendars.ts';
import { periodOf } from '../../billing/periods/periods.ts';

/** docs/calendars.md: each row of its table of month ends, by the code that opens periods. */

const page = readFileSync(join(import.meta.dirname, '../../docs/calendars.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| (monthly|quarterly|annual) \|/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

it('has a table', () => expect(rows.length).toBeGreaterThan(20));

it.each(rows)('%s %s %s from %s', (billingPeriod, billingCalendar, anchorDay, startDate = '', starts = '') => {
  const calendar = { billingPeriod, billingCalendar, anchorDay: anchorDay ? Number(anchorDay) : null } as PlanCalendar;
  const terms = { ...calendar, startDate, anchorDate: anchorOf(calendar, startDate), timeZone: 'UTC' };
  const expected = starts.split(', ');
  expect(expected.map((_, k) => periodOf(terms, k).startDate)).toEqual(expected);
});
