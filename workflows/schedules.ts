import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { PARITY_SCHEDULE, RECONCILE_SCHEDULE, TASK_QUEUE, VERIFY_CHAIN_SCHEDULE } from './workflow-ids.ts';

/** Of UTC: when most of the world's business is asleep or at its end. */
const PARITY_HOUR = 3;
/** Behind parity, so that the two do not read the same tables at once. */
const VERIFY_CHAIN_HOUR = 5;

/** A workflow without arguments that runs again and again, never twice at once; its schedule has the same name. */
type ScheduledRun = {
  workflowType: string;
  spec: ScheduleOptions['spec'];
  /** What was missed while everything was down is run once where it is not older than this. */
  catchupWindow: '10 seconds' | '1 day';
};

/** Sees to it that the schedule is there, as this release wants it; true where it was not. */
async function keepSchedule(client: Client, { workflowType, spec, catchupWindow }: ScheduledRun): Promise<boolean> {
  const schedule: Omit<ScheduleOptions, 'scheduleId'> & { action: { workflowId: string } } = {
    spec,
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow },
    action: { type: 'startWorkflow', workflowType, workflowId: workflowType, taskQueue: TASK_QUEUE, args: [] },
  };
  try {
    await client.schedule.create({ scheduleId: workflowType, ...schedule });
    return true;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Made by an earlier release: it may have been another one then.
    await client.schedule.getHandle(workflowType).update((known) => ({ ...schedule, state: known.state }));
    return false;
  }
}

/** As {@link keepSchedule} for the reconcile sweep, and has it run now. */
export async function scheduleReconcile(client: Client, everyMs: number): Promise<boolean> {
  const spec = { intervals: [{ every: everyMs }] };
  const isNew = await keepSchedule(client, { workflowType: RECONCILE_SCHEDULE, spec, catchupWindow: '10 seconds' });
  await client.schedule.getHandle(RECONCILE_SCHEDULE).trigger(ScheduleOverlapPolicy.SKIP);
  return isNew;
}

export function scheduleParity(client: Client): Promise<boolean> {
  const spec = { calendars: [{ hour: PARITY_HOUR }] };
  return keepSchedule(client, { workflowType: PARITY_SCHEDULE, spec, catchupWindow: '1 day' });
}

export function scheduleVerifyChain(client: Client): Promise<boolean> {
  const spec = { calendars: [{ hour: VERIFY_CHAIN_HOUR }] };
  return keepSchedule(client, { workflowType: VERIFY_CHAIN_SCHEDULE, spec, catchupWindow: '1 day' });
}

export async function isReconcileScheduled(client: Client): Promise<boolean> {
  try {
    await client.schedule.getHandle(RECONCILE_SCHEDULE).describe();
    return true;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false;
    throw error;
  }
}
