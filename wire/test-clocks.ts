import { z } from '@hono/zod-openapi';
import { type Instant, isoFromInstant } from '../core/instants.ts';
import { instantInput, instantWire } from './primitives.ts';

/** Clock time ends here: what falls due a period later still has a year of four digits. */
const LAST_CLOCK_TIME = Date.UTC(9000, 0, 1);

const frozenTimeInput = instantInput
  .refine((instant) => instant <= LAST_CLOCK_TIME, 'Must be before the year 9000.')
  .openapi({ type: 'string', format: 'date-time' });

/** Body of POST /api/test-clocks (spec/test-clocks#time). */
export const testClockCreate = z
  .strictObject({
    frozen_time: frozenTimeInput.openapi({
      description: 'The time that the clock begins with.',
      example: '2026-11-20T10:00:00.000Z',
    }),
    name: z
      .string()
      .max(1_000, 'Must have at most 1,000 characters.')
      .nullable()
      .default(null)
      .openapi({ description: 'What the clock is for; null: nothing.', example: null }),
  })
  .openapi({ example: { frozen_time: '2026-11-20T10:00:00.000Z' } });
export type TestClockCreate = z.output<typeof testClockCreate>;

/** Body of POST /api/test-clocks/{test_clock_id}/advance. */
export const testClockAdvance = z
  .strictObject({
    frozen_time: frozenTimeInput.openapi({
      description: "The time to go on to, later than the clock's.",
      example: '2026-12-20T10:00:00.000Z',
    }),
  })
  .openapi({ example: { frozen_time: '2026-12-20T10:00:00.000Z' } });
export type TestClockAdvance = z.output<typeof testClockAdvance>;

export const testClockPath = z.object({
  test_clock_id: z.string().openapi({ description: 'Id of the test clock.', example: 'clock_01jd3k9x' }),
});

export const testClockWire = z
  .object({
    test_clock_id: z.string().openapi({ description: 'Id of the test clock.', example: 'clock_01jd3k9x' }),
    name: z.string().nullable().openapi({ description: 'What the clock is for; null: nothing.', example: null }),
    frozen_time: instantWire.openapi({ description: 'The time that the clock shows.' }),
    status: z
      .enum(['ready', 'advancing', 'failed'])
      .openapi({ description: 'advancing: what falls due until the new time is being done.', example: 'ready' }),
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
