import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import type { SubscriptionSchedule } from '../billing/periods/schedule.ts';
import type { Instant } from '../core/instants.ts';
import type { PayCall } from '../services/payments/collect-invoice.ts';
import type { ToldByProcessor } from '../services/payments/follow-processor.ts';
import type { CustomerRef, InvoiceRef, RefundRef, SubscriptionRef, TestClockRef } from '../services/references.ts';
import type { CancelCall } from '../services/subscriptions/cancel.ts';
import type { PrepaidCall } from '../services/subscriptions/change-prepaid-units.ts';
import type { PauseCall } from '../services/subscriptions/pause.ts';
import type { ResumeCall } from '../services/subscriptions/resume.ts';
import type { SwitchCall } from '../services/subscriptions/switch-plan.ts';
import { asDomainErrors, untilTaken } from './call-errors.ts';
import { shareByAccount, traceCalls } from './call-interceptors.ts';
import {
  advanceSignal,
  lookAgainSignal,
  runDueStepUpdate,
  type SubscriptionStart,
  type WebhookRetry,
} from './definitions/messages.ts';
import { ACCOUNT_ID, CUSTOMER_ID, PERIOD_END, PLAN_ID, SUBSCRIPTION_STATUS } from './definitions/search-attributes.ts';
import { payInvoice, runCollectionStep, startCollection, startProcessorEvent, startRefund } from './payment-client.ts';
import { isReconcileScheduled, scheduleParity, scheduleReconcile, scheduleVerifyChain } from './schedules.ts';
import { loadBacklog } from './task-backlog.ts';
import { createWhileReachable } from './while-reachable.ts';
import {
  collectionWorkflowId,
  erasureWorkflowId,
  refundWorkflowId,
  subscriptionWorkflowId,
  TASK_QUEUE,
  testClockWorkflowId,
  webhookRetriesWorkflowId,
} from './workflow-ids.ts';

/** What a call asks of a subscription, as the Update that it becomes. */
export type SubscriptionChange =
  | { update: 'cancel'; call: CancelCall }
  | { update: 'pause'; call: PauseCall }
  | { update: 'resume'; call: ResumeCall }
  | { update: 'switch_plan'; call: SwitchCall }
  | { update: 'change_prepaid_units'; call: PrepaidCall };

/** Where Temporal is asked, and where its UI is shown, if that is known. */
type TemporalPlace = {
  temporalAddress: string;
  temporalNamespace: string;
  temporalUiUrl?: string | undefined;
  /** How long a call waits for what it changes. */
  callTimeoutMs?: number;
};

/** Where a workflow is found; `url` null: it is not known where Temporal's UI is. */
export type WorkflowPlace = { workflowId: string; namespace: string; url: string | null };

/**
 * All that anything of ours asks of Temporal. Every call fails as DomainError `unavailable` when Temporal is away, and
 * what a workflow refuses as the refusal it is.
 */
export type WorkflowClient = {
  /** Starts the workflow of a subscription that stands where `schedule` says; false where it runs already. */
  startSubscription(ref: SubscriptionRef, schedule: SubscriptionSchedule): Promise<boolean>;
  /** Has the subscription do its step that is due at `until` on its test clock, and waits until it is done. */
  runSubscriptionStep(ref: SubscriptionRef, until: Instant, cancelled: AbortSignal): Promise<void>;
  /** Has a subscription's workflow, where one runs, go on by what has become of it: by `schedule`, else it reads the records. */
  lookAgain(ref: SubscriptionRef, schedule?: SubscriptionSchedule): Promise<void>;
  /** Ends the workflow of a subscription that the records do not have. */
  endSubscription(ref: SubscriptionRef, reason: string): Promise<void>;
  /** Starts the erasure of a deleted customer's usage events; false where it runs already. */
  startErasure(ref: CustomerRef): Promise<boolean>;
  /** Starts the retries of a webhook delivery; where they run already, and may wait for a later time, they look again: false. */
  retryWebhook(retry: WebhookRetry): Promise<boolean>;
  /**
   * Has the subscription changed as a call asks, and waits until it is saved; the call's answer is then with its operation.
   * `again`: told apart from the same change before, which the workflow remembers as done while Postgres does not know of it.
   */
  changeSubscription(ref: SubscriptionRef, change: SubscriptionChange, times?: { again: string }): Promise<void>;
  /** Starts the collection of an invoice; false where it runs already. */
  startCollection(ref: InvoiceRef): Promise<boolean>;
  /** Has a collection do its step that is due at `until` on its customer's test clock, and waits until it is done. */
  runCollectionStep(ref: InvoiceRef, until: Instant, cancelled: AbortSignal): Promise<void>;
  /** Has an invoice collected now, and waits for the outcome of the attempt, but not longer than CALL_TIMEOUT_SECONDS. */
  payInvoice(ref: InvoiceRef, call: PayCall): Promise<void>;
  /** Has a collection, where it runs, read from the records what is due, and ask the processor where that has the word. */
  lookAgainAtCollection(ref: InvoiceRef): Promise<void>;
  /** Starts sending a refund through its processor; false where it runs already. */
  startRefund(ref: RefundRef): Promise<boolean>;
  /** Has the workflow of a refund, where one runs, ask the processor now. */
  lookAgainAtRefund(ref: RefundRef): Promise<void>;
  /** Starts looking at what a processor told of; false where that runs already. */
  startProcessorEvent(told: ToldByProcessor): Promise<boolean>;
  /** Has a test clock go to the goal that Postgres keeps for it. */
  advanceClock(ref: TestClockRef): Promise<void>;
  /** Which workflow is a subscription's, and its page in Temporal's UI where that is configured; asks nobody. */
  workflowOf(ref: SubscriptionRef): WorkflowPlace;
  /** Workflow ids of the subscriptions whose workflows run, as the search knows them: it may lag by a second. */
  listRunningSubscriptions(): Promise<Set<string>>;
  /** Sees to it that the reconcile sweep runs on schedule, and once now; true where it did not. */
  scheduleReconcile(everyMs: number): Promise<boolean>;
  /** Sees to it that issued invoices are computed again every night; true where they were not. */
  scheduleParity(): Promise<boolean>;
  /** Likewise that all chains are. */
  scheduleVerifyChain(): Promise<boolean>;
  /** Whether Temporal has the schedule of the reconcile sweep: without it, it has lost all that it knew. */
  isReconcileScheduled(): Promise<boolean>;
  /** Tasks that wait for a worker, by their type: `workflow` and `activity`. */
  loadBacklog(): Promise<Record<string, number>>;
  /** Rejects while Temporal, or our namespace in it, cannot be asked. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

/** A call for Temporal itself fails as `unavailable` after this: the API promises 503 within 5 s while Temporal is away. */
const CALL_LIMIT_MS = 4_000;

/** How long a call waits for what it changes, where nobody has set CALL_TIMEOUT_SECONDS. */
const CHANGE_LIMIT_MS = 25_000;

const LOOPBACK = /^(127\.[\d.]+|localhost|\[::1\]):\d+$/;

/** A restarted server is found at once; the library's own pause grows to two minutes. */
const RECONNECT = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 };

/** The library would reach a server on this machine through the proxy of the environment, too, which has another loopback. */
function proxyOf(address: string) {
  return LOOPBACK.test(address) ? { 'grpc.enable_http_proxy': 0 } : {};
}

/** Connects at the first call, not before: the API starts, and answers what it can, without Temporal. */
export function connectWorkflows(config: TemporalPlace): WorkflowClient {
  const connection = Connection.lazy({
    address: config.temporalAddress,
    channelArgs: { ...RECONNECT, ...proxyOf(config.temporalAddress) },
  });
  const interceptors = { workflow: [traceCalls, shareByAccount] };
  const client = new Client({ connection, namespace: config.temporalNamespace, interceptors });

  function limited<T>(call: () => Promise<T>): Promise<T> {
    return asDomainErrors(() => connection.withAbortSignal(AbortSignal.timeout(CALL_LIMIT_MS), call));
  }

  const whileReachable = createWhileReachable(() =>
    limited(async () => void (await connection.workflowService.getSystemInfo({}))),
  );
  /** For what a worker has to do before the caller gets an answer. */
  function patient<T>(call: () => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(config.callTimeoutMs ?? CHANGE_LIMIT_MS);
    return whileReachable((away) => {
      const givenUp = AbortSignal.any([late, away]);
      return asDomainErrors(() => untilTaken(() => connection.withAbortSignal(givenUp, call), givenUp));
    });
  }

  return {
    startSubscription: (ref, schedule) => limited(() => startSubscription(client, ref, schedule)),
    runSubscriptionStep: (ref, until, cancelled) =>
      asDomainErrors(() => connection.withAbortSignal(cancelled, () => runSubscriptionStep(client, ref, until))),
    lookAgain: (ref, schedule) => limited(() => lookAgain(client, subscriptionWorkflowId(ref), schedule)),
    endSubscription: (ref, reason) =>
      limited(() => whereItRuns(() => client.workflow.getHandle(subscriptionWorkflowId(ref)).terminate(reason))),
    startErasure: (ref) => limited(() => startErasure(client, ref)),
    retryWebhook: (retry) => limited(() => retryWebhook(client, retry)),
    changeSubscription: (ref, change, times) => patient(() => changeSubscription(client, ref, change, times)),
    startCollection: (ref) => limited(() => startOnce(() => startCollection(client, ref))),
    runCollectionStep: (ref, until, cancelled) =>
      asDomainErrors(() => connection.withAbortSignal(cancelled, () => runCollectionStep(client, ref, until))),
    payInvoice: (ref, call) => patient(() => payInvoice(client, ref, call)),
    lookAgainAtCollection: (ref) => limited(() => lookAgain(client, collectionWorkflowId(ref))),
    startRefund: (ref) => limited(() => startOnce(() => startRefund(client, ref))),
    lookAgainAtRefund: (ref) => limited(() => lookAgain(client, refundWorkflowId(ref))),
    startProcessorEvent: (told) => limited(() => startOnce(() => startProcessorEvent(client, told))),
    advanceClock: (ref) => limited(() => advanceClock(client, ref)),
    workflowOf: (ref) => workflowOf(ref, config),
    listRunningSubscriptions: () => asDomainErrors(() => listRunningSubscriptions(client)),
    scheduleReconcile: (everyMs) => limited(() => scheduleReconcile(client, everyMs)),
    scheduleParity: () => limited(() => scheduleParity(client)),
    scheduleVerifyChain: () => limited(() => scheduleVerifyChain(client)),
    isReconcileScheduled: () => limited(() => isReconcileScheduled(client)),
    loadBacklog: () => limited(() => loadBacklog(connection, config.temporalNamespace)),
    ready: () =>
      limited(async () => {
        await connection.workflowService.describeNamespace({ namespace: config.temporalNamespace });
      }),
    close: () => connection.close(),
  };
}

/** Temporal takes 200 bytes as a summary; a character has 4 at most. */
const NAME_LENGTH = 50;

async function startSubscription(
  client: Client,
  ref: SubscriptionRef,
  schedule: SubscriptionSchedule,
): Promise<boolean> {
  const { accountId, subscriptionId } = ref;
  const { customerId, planId, status, periodEnd } = schedule;
  const name = [...(schedule.name ?? `${customerId}: ${planId}`)].slice(0, NAME_LENGTH).join('');
  const attributes: SearchAttributePair[] = [
    { key: ACCOUNT_ID, value: accountId },
    { key: CUSTOMER_ID, value: customerId },
    { key: PLAN_ID, value: planId },
    { key: SUBSCRIPTION_STATUS, value: status },
  ];
  if (periodEnd !== null) attributes.push({ key: PERIOD_END, value: new Date(periodEnd) });
  return startOnce(() =>
    client.workflow.start('subscription', {
      ...subscriptionStart({ accountId, subscriptionId }, { course: schedule }),
      typedSearchAttributes: new TypedSearchAttributes(attributes),
      staticSummary: name,
    }),
  );
}

/** The workflow is started where it does not run. Repeated it finds the step done, or waits behind it in the same loop. */
async function runSubscriptionStep(client: Client, ref: SubscriptionRef, until: Instant): Promise<void> {
  const start = { ...subscriptionStart(ref), workflowIdConflictPolicy: 'USE_EXISTING' as const };
  await client.workflow.executeUpdateWithStart(runDueStepUpdate, {
    args: [{ until }],
    startWorkflowOperation: new WithStartWorkflowOperation('subscription', start),
  });
}

/** The Update's id is the operation's and its body's: a repeat joins the first, which is done once (architecture#temporal). */
async function changeSubscription(
  client: Client,
  ref: SubscriptionRef,
  change: SubscriptionChange,
  { again = '' }: { again?: string } = {},
): Promise<void> {
  const start = { ...subscriptionStart(ref), workflowIdConflictPolicy: 'USE_EXISTING' as const };
  const { operationId, requestHash } = change.call;
  await client.workflow.executeUpdateWithStart<
    (ref: SubscriptionRef, start: SubscriptionStart) => Promise<void>,
    void,
    [SubscriptionChange['call']]
  >(change.update, {
    updateId: `${operationId}${requestHash.slice(0, 16)}${again}`,
    args: [change.call],
    startWorkflowOperation: new WithStartWorkflowOperation('subscription', start),
  });
}

function subscriptionStart(ref: SubscriptionRef, start: SubscriptionStart = {}) {
  const args: [SubscriptionRef, SubscriptionStart] = [ref, start];
  return { workflowId: subscriptionWorkflowId(ref), taskQueue: TASK_QUEUE, args };
}

function lookAgain(client: Client, workflowId: string, schedule?: SubscriptionSchedule): Promise<void> {
  const told: [SubscriptionStart?] = schedule ? [{ course: schedule }] : [];
  return whereItRuns(() => client.workflow.getHandle(workflowId).signal(lookAgainSignal, ...told));
}

/** Nothing, where no workflow of that id runs. */
async function whereItRuns(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

async function startErasure(client: Client, { accountId, customerId }: CustomerRef): Promise<boolean> {
  const attributes: SearchAttributePair[] = [
    { key: ACCOUNT_ID, value: accountId },
    { key: CUSTOMER_ID, value: customerId },
  ];
  return startOnce(() =>
    client.workflow.start('erasure', {
      workflowId: erasureWorkflowId({ accountId, customerId }),
      taskQueue: TASK_QUEUE,
      args: [{ accountId, customerId }],
      typedSearchAttributes: new TypedSearchAttributes(attributes),
      staticSummary: "Erases a deleted customer's usage events",
    }),
  );
}

async function retryWebhook(client: Client, { accountId, deliveryId, round, dueAt }: WebhookRetry): Promise<boolean> {
  const retry: WebhookRetry = { accountId, deliveryId, round, dueAt };
  const workflowId = webhookRetriesWorkflowId(retry);
  const isStarted = await startOnce(() =>
    client.workflow.start('webhookRetries', {
      workflowId,
      taskQueue: TASK_QUEUE,
      args: [retry],
      typedSearchAttributes: new TypedSearchAttributes([{ key: ACCOUNT_ID, value: accountId }]),
      staticSummary: 'Retries a webhook delivery',
    }),
  );
  if (!isStarted) await lookAgain(client, workflowId);
  return isStarted;
}

/** False where a workflow of that id runs already. */
async function startOnce(start: () => Promise<unknown>): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

async function advanceClock(client: Client, { accountId, testClockId }: TestClockRef): Promise<void> {
  await client.workflow.signalWithStart('testClock', {
    workflowId: testClockWorkflowId({ accountId, testClockId }),
    taskQueue: TASK_QUEUE,
    args: [{ accountId, testClockId }],
    signal: advanceSignal,
    typedSearchAttributes: new TypedSearchAttributes([{ key: ACCOUNT_ID, value: accountId }]),
    staticSummary: 'Advances a test clock',
  });
}

function workflowOf(
  ref: SubscriptionRef,
  { temporalNamespace: namespace, temporalUiUrl }: TemporalPlace,
): WorkflowPlace {
  const workflowId = subscriptionWorkflowId(ref);
  const page = `namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
  return { workflowId, namespace, url: temporalUiUrl === undefined ? null : `${temporalUiUrl}/${page}` };
}

async function listRunningSubscriptions(client: Client): Promise<Set<string>> {
  const ids = new Set<string>();
  const query = 'WorkflowType = "subscription" AND ExecutionStatus = "Running"';
  for await (const execution of client.workflow.list({ query, pageSize: 1_000 })) ids.add(execution.workflowId);
  return ids;
}
