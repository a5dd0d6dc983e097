import { type Client, ScheduleAlreadyRunning, type ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import { TASK_QUEUE } from './workflow-ids.ts';

/** A workflow without arguments that runs again and again, never twice at once; its schedule has the same name. */
export type ScheduledRun = {
  workflowType: string;
  spec: ScheduleOptions['spec'];
  /** What was missed while everything was down is run once where it is not older than this. */
  catchupWindow: '10 seconds' | '1 day';
};

/** Sees to it that the schedule is there, as this release wants it. */
export async function keepSchedule(client: Client, { workflowType, spec, catchupWindow }: ScheduledRun): Promise<void> {
  const schedule: Omit<ScheduleOptions, 'scheduleId'> & { action: { workflowId: string } } = {
    spec,
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow },
    action: { type: 'startWorkflow', workflowType, workflowId: workflowType, taskQueue: TASK_QUEUE, args: [] },
  };
  try {
    await client.schedule.create({ scheduleId: workflowType, ...schedule });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Made by an earlier release: it may have been another one then.
    await client.schedule.getHandle(workflowType).update((known) => ({ ...schedule, state: known.state }));
  }
}
