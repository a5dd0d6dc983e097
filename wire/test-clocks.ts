import { z } from '@hono/zod-openapi';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { instantInput, instantWire } from './primitives.ts';

/** Clock time ends here: what falls due a period later still has a year of four digits. */
const LAST_CLOCK_TIME = Date.UTC(9000, 0, 1);

const frozenTimeInput = instantInput
  .refine((instant) => instant <= LAST_CLOCK_TIME, 'Must be before the year 9000.')
  .openapi({ type: 'string', format: 'date-time' });

/** Body of POST /api/test-clocks (spec/test-clocks#time). */
export const testClockCreate = z.strictObject({
  frozen_time: frozenTimeInput,
  name: z.string().max(1_000, 'Must have at most 1,000 characters.').nullable().default(null),
});

/** Body of POST /api/test-clocks/{test_clock_id}/advance. */
export const testClockAdvance = z.strictObject({ frozen_time: frozenTimeInput });

export const testClockPath = z.object({ test_clock_id: z.string() });

export const testClockWire = z
  .object({
    test_clock_id: z.string(),
    name: z.string().nullable(),
    frozen_time: instantWire,
    status: z.enum(['ready', 'advancing', 'failed']),
  })
  .openapi('TestClock');

export type TestClockWire = z.infer<typeof testClockWire>;

/** The clock as the API returns it. */
export function testClockToWire(clock: {
  testClockId: string;
  name: string | null;
  frozenTime: Instant;
  status: TestClockWire['status'];
}): TestClockWire {
  return {
    test_clock_id: clock.testClockId,
    name: clock.name,
    frozen_time: isoFromInstant(clock.frozenTime),
    status: clock.status,
  };
}
