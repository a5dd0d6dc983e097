import {
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { SubscriptionSchedule } from '../../billing/periods/schedule.ts';
import { isLive } from '../../billing/subscriptions/states.ts';
import type { Instant } from '../../core/instants.ts';
import type { SubscriptionRef } from '../../services/references.ts';
import type { Activities } from '../activities/activities.ts';
import type { CustomerPeriod } from '../activities/closings-at-once.ts';
import { AT_ONCE, CALL_TASK_QUEUE, OF_A_CALL, UNTIL_DONE, WITHIN_PATIENCE } from './activity-options.ts';
import { openInbox } from './inbox.ts';
import {
  cancelUpdate,
  changePrepaidUnitsUpdate,
  lookAgainSignal,
  nextStepsQuery,
  pauseUpdate,
  resumeUpdate,
  runDueStepUpdate,
  type SubscriptionStart,
  stateQuery,
  switchPlanUpdate,
} from './messages.ts';
import { showInSearch } from './subscription-search.ts';
import {
  describeCancel,
  describeNext,
  describePause,
  describePrepaid,
  describeSchedule,
  nextStepsOf,
  stateOf,
} from './subscription-story.ts';
import { workflowTime } from './workflow-time.ts';

const inRealTime = proxyActivities<Activities>(UNTIL_DONE);
const onTestClock = proxyActivities<Activities>(WITHIN_PATIENCE);
const ofCalls = proxyActivities<Activities>(OF_A_CALL);
const atOnce = proxyLocalActivities<Activities>(AT_ONCE);
/** Where what a call has to wait for is done. */
const FOR_A_CALL = { taskQueue: CALL_TASK_QUEUE };

/** About a year of monthly periods, a few hundred history events: then the run goes on in a new one. */
const BOUNDARIES_PER_RUN = 13;

/**
 * The life of one subscription: waits for its next boundary or for a message, and has one done after another until the
 * subscription has ended. Postgres is the truth; this decides only when (architecture#temporal).
 */
export async function subscription(ref: SubscriptionRef, start?: SubscriptionStart): Promise<void> {
  const inbox = openInbox();
  // A run that began without it, or in a worker of before, loads its schedule and closes by activities, as its history says.
  const closesAtOnce = start !== undefined && patched('closes-at-once');
  let schedule = closesAtOnce ? start.course : undefined;
  let boundaries = 0;
  /** Whether it has read the records since its last step: a worker may remember of its closings what was there before they were restored. */
  let isReadAnew = false;

  async function load(where: Where = {}): Promise<SubscriptionSchedule> {
    const options = { ...UNTIL_DONE, ...where, summary: 'read from the records where it stands' };
    schedule = await inRealTime.loadSubscriptionCourse.executeWithOptions(options, [ref]);
    isReadAnew = true;
    return schedule;
  }

  async function lookAgain(told?: SubscriptionStart): Promise<void> {
    if (told?.course) schedule = told.course;
    else await load();
  }

  /** Has the next boundary done; its activity tells what comes after it. */
  async function cross(due: SubscriptionSchedule, where: Where = {}): Promise<void> {
    if (due.next === null) return;
    const run = due.clockTime === null ? inRealTime : onTestClock;
    const activity = {
      activate: run.activateSubscription,
      close_period: run.closePeriod,
      invoice_period: run.closePeriod,
      cancel: run.cancelAsPlanned,
      switch: run.switchAsPlanned,
      resume: run.resumeAsPlanned,
      trial_will_end: run.announceTrialEnd,
      bill_waiting: run.billWaitingLines,
    }[due.next.kind];
    const step = { ...ref, periodIndex: due.next.periodIndex };
    const summary = describeNext(due.next);
    const mayCloseAtOnce = closesAtOnce && (due.next.kind === 'close_period' || due.next.kind === 'invoice_period');
    const closed = mayCloseAtOnce
      ? await closeAtOnce({ ...step, customerId: due.customerId, isReadAnew }, summary)
      : null;
    isReadAnew = false;
    schedule = closed ?? (await activity.executeWithOptions({ ...optionsOf(due), ...where, summary }, [step]));
    boundaries++;
  }

  async function runDueStep(until: Instant): Promise<void> {
    const known = schedule !== undefined && isDue(schedule, until) ? schedule : await load();
    if (isDue(known, until)) await cross(known);
  }

  /** Has a call done, after whatever fell due before it. Somebody waits for the answer: it does not try for ever. */
  async function perform<Call>(activity: ChangeActivity<Call>, summary: string, call: Call): Promise<void> {
    let known = schedule ?? (await load(FOR_A_CALL));
    while (isDue(known, timeOf(known))) {
      await cross(known, FOR_A_CALL);
      known = schedule ?? known;
    }
    schedule = await activity.executeWithOptions({ ...OF_A_CALL, summary }, [{ ...ref, ...call }]);
  }

  /** Only between messages: a handler that has not answered yet would be cut off. */
  function isTimeForNewRun(): boolean {
    return (boundaries >= BOUNDARIES_PER_RUN || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
  }

  setHandler(runDueStepUpdate, ({ until }) => inbox.ask(() => runDueStep(until)), {
    description: "The test clock's word: do the step that is due now.",
  });
  setHandler(lookAgainSignal, async (start) => void (await inbox.ask(() => lookAgain(start))), {
    description: 'The records have changed it: go on by its schedule of now.',
  });
  setHandler(cancelUpdate, (call) => inbox.ask(() => perform(ofCalls.cancelSubscription, describeCancel(call), call)), {
    description: 'Cancel now, plan it for later, or withdraw a planned one.',
  });
  setHandler(pauseUpdate, (call) => inbox.ask(() => perform(ofCalls.pauseSubscription, describePause(call), call)), {
    description: 'Pause: no invoices, and usage is not billed.',
  });
  setHandler(resumeUpdate, (call) => inbox.ask(() => perform(ofCalls.resumeSubscription, 'resume', call)), {
    description: 'Resume a paused subscription, and bill what waited.',
  });
  setHandler(switchPlanUpdate, (call) => inbox.ask(() => perform(ofCalls.switchPlan, 'switch plan', call)), {
    description: 'Switch to another plan now, plan it for later, or withdraw a planned switch.',
  });
  setHandler(
    changePrepaidUnitsUpdate,
    (call) => inbox.ask(() => perform(ofCalls.changePrepaidUnits, describePrepaid(call), call)),
    { description: 'Change the units prepaid for a metric, from the current period on.' },
  );
  setHandler(stateQuery, () => (schedule ? stateOf(schedule) : 'loading'), { description: 'Where its life stands.' });
  setHandler(nextStepsQuery, () => (schedule ? nextStepsOf(schedule) : []), {
    description: 'What comes next, and when.',
  });

  const mayEnd = () => allHandlersFinished() && inbox.isEmpty();
  // Somebody may wait for what has come with the start.
  let now = schedule ?? (await load(inbox.isEmpty() ? {} : FOR_A_CALL));
  while (goesOn(now) || !mayEnd()) {
    show(ref, now);
    if (!inbox.isEmpty()) await inbox.performNext();
    else if (!goesOn(now)) await condition(() => !inbox.isEmpty() || mayEnd());
    else if (isTimeForNewRun()) await continueAsNew<typeof subscription>(ref, { course: now });
    else if (isDue(now, timeOf(now))) await cross(now);
    else await waitForBoundaryOr(now, () => !inbox.isEmpty() || isTimeForNewRun());
    now = schedule ?? now;
  }
  show(ref, now);
}

/** Null where the usage has not landed, or whatever failed: the activity that does it then says what is wrong, and is tried again. */
async function closeAtOnce(step: CustomerPeriod, summary: string): Promise<SubscriptionSchedule | null> {
  try {
    return await atOnce.closeLandedPeriod.executeWithOptions({ ...AT_ONCE, summary }, [step]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return null;
  }
}

/** Until it has ended and nothing that it left waits to be invoiced. */
function goesOn({ status, next }: SubscriptionSchedule): boolean {
  return isLive(status) || next !== null;
}

/** The task queue of an activity, if it is not that of its workflow. */
type Where = { taskQueue?: string };

/** An activity that changes the subscription as a call asks. */
type ChangeActivity<Call> = {
  executeWithOptions(
    options: typeof OF_A_CALL & { summary: string },
    args: [SubscriptionRef & Call],
  ): Promise<SubscriptionSchedule>;
};

/** The time the customer lives in: frozen on a test clock, else the workflow's. */
function timeOf(schedule: SubscriptionSchedule): Instant {
  return schedule.clockTime ?? workflowTime();
}

function isDue(schedule: SubscriptionSchedule, time: Instant): boolean {
  return schedule.next !== null && schedule.next.dueAt <= time;
}

function optionsOf(schedule: SubscriptionSchedule) {
  return schedule.clockTime === null ? UNTIL_DONE : WITHIN_PATIENCE;
}

/** On a test clock, and while paused, only a message goes on; in real time the boundary's timer does too. */
async function waitForBoundaryOr(schedule: SubscriptionSchedule, isWanted: () => boolean): Promise<void> {
  if (schedule.next === null || schedule.clockTime !== null) return condition(isWanted);
  const wait = schedule.next.dueAt - workflowTime();
  await condition(isWanted, wait, { summary: describeNext(schedule.next) });
}

function show(ref: SubscriptionRef, schedule: SubscriptionSchedule): void {
  setCurrentDetails(describeSchedule(schedule));
  showInSearch(ref, schedule);
}
