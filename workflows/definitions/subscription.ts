import {
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Instant } from '../../billing/instants.ts';
import type { SubscriptionCourse } from '../../billing/next-boundary.ts';
import { isLive } from '../../billing/states.ts';
import type { Activities } from '../activities/activities.ts';
import { UNTIL_DONE, WITHIN_PATIENCE } from './activity-options.ts';
import { openInbox } from './inbox.ts';
import { lookAgainSignal, nextStepsQuery, runDueStepUpdate, type SubscriptionRef, stateQuery } from './messages.ts';
import { showInSearch } from './subscription-search.ts';
import { describeCourse, describeNext, nextStepsOf, stateOf } from './subscription-story.ts';
import { workflowTime } from './workflow-time.ts';

const inRealTime = proxyActivities<Activities>(UNTIL_DONE);
const onTestClock = proxyActivities<Activities>(WITHIN_PATIENCE);

/** About a year of monthly periods, a few hundred history events: then the run goes on in a new one (engines, Temporal). */
const BOUNDARIES_PER_RUN = 13;

/**
 * The life of one subscription: waits for its next boundary or for a message, and has one done after another until the
 * subscription has ended. Postgres is the truth; this decides only when (design 8).
 */
export async function subscription(ref: SubscriptionRef): Promise<void> {
  const inbox = openInbox();
  let course: SubscriptionCourse | undefined;
  let boundaries = 0;

  async function load(): Promise<SubscriptionCourse> {
    course = await inRealTime.loadSubscriptionCourse(ref);
    return course;
  }

  /** Has the next boundary done; its activity tells what comes after it. */
  async function cross(due: SubscriptionCourse): Promise<void> {
    if (due.next === null) return;
    const run = due.clockTime === null ? inRealTime : onTestClock;
    const activity = due.next.kind === 'activate' ? run.activateSubscription : run.closePeriod;
    const step = { ...ref, periodIndex: due.next.periodIndex };
    course = await activity.executeWithOptions({ ...optionsOf(due), summary: describeNext(due.next) }, [step]);
    boundaries++;
  }

  async function runDueStep(until: Instant): Promise<void> {
    const known = course !== undefined && isDue(course, until) ? course : await load();
    if (isDue(known, until)) await cross(known);
  }

  /** Only between messages: a handler that has not answered yet would be cut off. */
  function isTimeForNewRun(): boolean {
    return (boundaries >= BOUNDARIES_PER_RUN || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
  }

  setHandler(runDueStepUpdate, ({ until }) => inbox.ask(() => runDueStep(until)), {
    description: "The test clock's word: do the step that is due now.",
  });
  setHandler(lookAgainSignal, async () => void (await inbox.ask(load)), {
    description: 'The books have changed it: read its course anew.',
  });
  setHandler(stateQuery, () => (course ? stateOf(course) : 'loading'), { description: 'Where its life stands.' });
  setHandler(nextStepsQuery, () => (course ? nextStepsOf(course) : []), { description: 'What comes next, and when.' });

  const mayEnd = () => allHandlersFinished() && inbox.isEmpty();
  let now = await load();
  while (isLive(now.status) || !mayEnd()) {
    show(ref, now);
    if (!inbox.isEmpty()) await inbox.performNext();
    else if (!isLive(now.status)) await condition(() => !inbox.isEmpty() || mayEnd());
    else if (isTimeForNewRun()) await continueAsNew<typeof subscription>(ref);
    else if (isDue(now, timeOf(now))) await cross(now);
    else await waitForBoundaryOr(now, () => !inbox.isEmpty() || isTimeForNewRun());
    now = course ?? now;
  }
  show(ref, now);
}

/** The time the customer lives in: frozen on a test clock, else the workflow's. */
function timeOf(course: SubscriptionCourse): Instant {
  return course.clockTime ?? workflowTime();
}

function isDue(course: SubscriptionCourse, time: Instant): boolean {
  return course.next !== null && course.next.dueAt <= time;
}

function optionsOf(course: SubscriptionCourse) {
  return course.clockTime === null ? UNTIL_DONE : WITHIN_PATIENCE;
}

/** On a test clock, and while paused, only a message goes on; in real time the boundary's timer does too. */
async function waitForBoundaryOr(course: SubscriptionCourse, isWanted: () => boolean): Promise<void> {
  if (course.next === null || course.clockTime !== null) return condition(isWanted);
  const wait = course.next.dueAt - workflowTime();
  await condition(isWanted, wait, { summary: describeNext(course.next) });
}

function show(ref: SubscriptionRef, course: SubscriptionCourse): void {
  setCurrentDetails(describeCourse(course));
  showInSearch(ref, course);
}
