import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorOf, type PlanCalendar, type UsagePeriod } from '../../billing/periods/calendars.ts';
import { periodAfter, periodOf } from '../../billing/periods/periods.ts';

/** docs/calendars.md: each row of its tables of month ends, by the code that opens periods. */

const page = readFileSync(join(import.meta.dirname, '../../docs/calendars.md'), 'utf8');

function rowsOf(heading: string): string[][] {
  const section = page.split('\n## ').find((one) => one.startsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => /^\| (monthly|quarterly|annual) \|/.test(line));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe.each([
  ['Ends of months', 'billing_period', 20],
  ['Usage months', 'monthly', 5],
] as const)('%s', (heading, usagePeriod: UsagePeriod, least) => {
  const rows = rowsOf(heading);

  it('has a table', () => expect(rows.length).toBeGreaterThan(least));

  it.each(rows)('%s %s %s from %s', (billingPeriod, billingCalendar, anchorDay, startDate = '', starts = '') => {
    const anchor = { anchorDay: anchorDay ? Number(anchorDay) : null, usagePeriod };
    const calendar = { billingPeriod, billingCalendar, ...anchor } as PlanCalendar;
    const terms = { ...calendar, startDate, anchorDate: anchorOf(calendar, startDate), timeZone: 'UTC' };
    let period = periodOf(terms, 0);
    for (const start of starts.split(', ')) {
      expect(period.startDate).toBe(start);
      period = periodAfter(terms, period);
    }
  });
});
