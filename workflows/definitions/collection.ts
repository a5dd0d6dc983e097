import {
  allHandlersFinished,
  condition,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Instant } from '../../core/instants.ts';
import type { CollectionSchedule } from '../../services/payments/collect-invoice.ts';
import type { InvoiceRef } from '../../services/references.ts';
import type { Activities } from '../activities/activities.ts';
import { CALL_TASK_QUEUE, OF_A_CALL, OF_A_PAYMENT, OF_A_PAYMENT_ON_CLOCK, UNTIL_DONE } from './activity-options.ts';
import { openInbox } from './inbox.ts';
import { lookAgainSignal, payUpdate, runDueStepUpdate } from './messages.ts';
import { readableInstant, workflowTime } from './workflow-time.ts';

const activities = proxyActivities<Activities>(UNTIL_DONE);

/** A processor tells of what settles by itself; this is for the event that never comes. */
const POLL_EVERY_MS = 3_600_000;
/** How long a wait lasts at most: Postgres may have been restored to another time than this one waits for. */
const LOOK_EVERY_MS = 24 * 3_600_000;

const NOT_LOADED: CollectionSchedule = { status: 'open', clockTime: null, next: null, polls: false };

/**
 * The collection of one invoice: charges it when it is due, again after each retry's days, and whenever a call asks, one
 * after another, so that there is one attempt at a time. Postgres is the truth; this decides only when (architecture#temporal). On a
 * test clock it ends while nothing is due, and the clock's word starts it again.
 */
export async function collection(ref: InvoiceRef): Promise<void> {
  const inbox = openInbox();
  let schedule: CollectionSchedule = NOT_LOADED;

  async function load(options = UNTIL_DONE): Promise<void> {
    schedule = await activities.loadCollectionCourse.executeWithOptions(options, [ref]);
  }

  async function collect(options = OF_A_PAYMENT): Promise<void> {
    schedule = await activities.collectDue.executeWithOptions({ ...options, summary: describe(schedule) }, [ref]);
  }

  async function runDueStep(until: Instant): Promise<void> {
    await load();
    while (isDue(schedule, until)) {
      await collect(OF_A_PAYMENT_ON_CLOCK);
    }
  }

  setHandler(runDueStepUpdate, ({ until }) => inbox.ask(() => runDueStep(until)), {
    description: "The test clock's word: do the step that is due now.",
  });
  /** Whoever asks may know that the processor has told something which has not arrived here. */
  async function lookAgain(): Promise<void> {
    await load();
    if (schedule.polls && patched('asks-the-processor-again')) await collect();
  }

  setHandler(lookAgainSignal, async () => void (await inbox.ask(lookAgain)), {
    description: 'The records have changed it: read its schedule anew, and ask a processor that has the word.',
  });
  setHandler(
    payUpdate,
    (call) =>
      inbox.ask(async () => {
        schedule = await activities.payNow.executeWithOptions({ ...OF_A_CALL, summary: 'pay now' }, [
          { ...ref, ...call },
        ]);
      }),
    { description: 'Collect what is due now.' },
  );

  // Handlers first: what comes with the start would be refused. Somebody may wait for what has come.
  await load(inbox.isEmpty() ? UNTIL_DONE : { ...UNTIL_DONE, taskQueue: CALL_TASK_QUEUE });
  const mayEnd = () => allHandlersFinished() && inbox.isEmpty();
  while (goesOn(schedule) || !mayEnd()) {
    setCurrentDetails(describe(schedule));
    if (!inbox.isEmpty()) await inbox.performNext();
    else if (isDue(schedule, timeOf(schedule))) await collect();
    else if (!goesOn(schedule)) await condition(() => !inbox.isEmpty() || mayEnd());
    else if (!(await condition(() => !inbox.isEmpty(), waitOf(schedule)))) await collect();
  }
  setCurrentDetails(describe(schedule));
}

/** While a step is to come that no clock tells of, or the processor has the word. */
function goesOn(schedule: CollectionSchedule): boolean {
  if (schedule.polls) return true;
  return schedule.next !== null && (schedule.clockTime === null || isDue(schedule, schedule.clockTime));
}

/** The time the customer lives in: frozen on a test clock, else the workflow's. */
function timeOf(schedule: CollectionSchedule): Instant {
  return schedule.clockTime ?? workflowTime();
}

function isDue(schedule: CollectionSchedule, time: Instant): boolean {
  return schedule.next !== null && schedule.next.dueAt <= time;
}

/** Until the next step, and never longer than until the processor is asked again, or Postgres. */
function waitOf(schedule: CollectionSchedule): number {
  if (schedule.polls || schedule.next === null) return POLL_EVERY_MS;
  return Math.min(LOOK_EVERY_MS, Math.max(1, schedule.next.dueAt - workflowTime()));
}

function describe({ next, polls, status }: CollectionSchedule): string {
  if (polls) return 'Waits for the processor';
  if (next === null) return `Nothing to collect; the invoice is ${status}`;
  return `${next.kind}, due ${readableInstant(next.dueAt)}`;
}
