import { z } from '@hono/zod-openapi';
import { isFields } from '../core/fields.ts';
import { type Instant, instantFromIso, isLocalDate, type LocalDate, startOfLocalDay } from '../core/instants.ts';

/** `start` or `end` of a question: a date means local midnight in the customer's zone (spec/metrics#usage). */
export type Moment = { date: LocalDate } | { instant: Instant };

/** Years a question may reach: those in which usage can be stored. */
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(2300, 0, 1);

/** A date or a date-time in a query. A `+` that was not encoded arrives as a space, and is taken for what it was. */
export const momentInput = z
  .string()
  .transform((sent, context): Moment => {
    const moment = momentOf(sent.replace(/ (?=\d\d:?(\d\d)?$)/, '+'));
    if (moment && roughly(moment) >= EARLIEST && roughly(moment) <= LATEST) return moment;
    const message =
      'Must be a date such as 2026-11-20, or an ISO 8601 date-time with Z or an offset, from 1970 to 2299.';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .openapi({ type: 'string', example: '2026-11-20' });

function momentOf(text: string): Moment | null {
  if (isLocalDate(text)) return { date: text };
  const instant = instantFromIso(text);
  return instant === null ? null : { instant };
}

/** Whether a parsed value is a moment: one that could not be parsed is not. */
export function isMoment(value: unknown): value is Moment {
  return isFields(value) && ('date' in value || 'instant' in value);
}

/** The instant of a moment for a customer in `timeZone`. */
export function instantOfMoment(moment: Moment, timeZone: string): Instant {
  return 'date' in moment ? startOfLocalDay(moment.date, timeZone) : moment.instant;
}

/**
 * Whether `start` is surely not before `end`: told without a zone where both are dates or both date-times, so that it can
 * be refused before the customer is looked for (spec/api#errors).
 */
export function isBackwards(start: Moment, end: Moment): boolean {
  return 'date' in start === 'date' in end && roughly(start) >= roughly(end);
}

function roughly(moment: Moment): Instant {
  return 'date' in moment ? Date.parse(moment.date) : moment.instant;
}
