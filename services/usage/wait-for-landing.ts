import type { Position } from '../../stream/positions.ts';
import type { ServiceDependencies } from '../dependencies.ts';

type Progress = Pick<ServiceDependencies, 'progress'>;

/** How long one wait lasts before the activity looks whether it has been cancelled. */
const WAIT_MS = 1_000;

/** Waits until everything accepted up to the cutoff can be read; for ever, unless cancelled. */
export async function waitForLanding(
  { progress, metrics }: Progress & Partial<Pick<ServiceDependencies, 'metrics'>>,
  cutoff: Position,
  cancelled: AbortSignal,
): Promise<void> {
  const waited = metrics?.cutoffWaitSeconds.startTimer();
  await waitUntilLanded({ progress }, cutoff, cancelled);
  waited?.();
}

/** Returns when everything that the stream holds by now has landed. */
export async function waitForAcceptedUsage({ progress }: Progress, cancelled: AbortSignal): Promise<void> {
  await waitUntilLanded({ progress }, await progress.lastAcceptedPosition(), cancelled);
}

async function waitUntilLanded({ progress }: Progress, position: Position, cancelled: AbortSignal): Promise<void> {
  while (!(await progress.waitUntilLanded(position, WAIT_MS))) cancelled.throwIfAborted();
}
