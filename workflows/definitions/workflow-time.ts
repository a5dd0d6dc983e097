import type { Instant } from '../../core/instants.ts';

/** The time in a workflow: Temporal's own clock, which the sandbox puts in the place of the machine's and replays alike. */
export function workflowTime(): Instant {
  return Date.now();
}

/** `2026-11-20 10:00:00 UTC`: how instants read in summaries and details. */
export function readableInstant(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
