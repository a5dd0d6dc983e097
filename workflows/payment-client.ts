import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { Instant } from '../core/instants.ts';
import type { PayCall } from '../services/payments/collect-invoice.ts';
import type { ToldByProcessor } from '../services/payments/follow-processor.ts';
import type { InvoiceRef, RefundRef } from '../services/references.ts';
import { payUpdate, runDueStepUpdate } from './definitions/messages.ts';
import { ACCOUNT_ID } from './definitions/search-attributes.ts';
import { collectionWorkflowId, processorEventWorkflowId, refundWorkflowId, TASK_QUEUE } from './workflow-ids.ts';

/** What `client.ts` asks of Temporal for payments. */

function collectionStart(ref: InvoiceRef) {
  const args: [InvoiceRef] = [ref];
  return {
    workflowId: collectionWorkflowId(ref),
    taskQueue: TASK_QUEUE,
    args,
    typedSearchAttributes: ofAccount(ref),
    staticSummary: `Collects invoice ${ref.invoiceId}`,
  };
}

function ofAccount({ accountId }: { accountId: string }): TypedSearchAttributes {
  return new TypedSearchAttributes([{ key: ACCOUNT_ID, value: accountId }]);
}

export async function startCollection(client: Client, ref: InvoiceRef): Promise<void> {
  await client.workflow.start('collection', collectionStart(ref));
}

/** The workflow is started where it does not run. */
export async function runCollectionStep(client: Client, ref: InvoiceRef, until: Instant): Promise<void> {
  const start = { ...collectionStart(ref), workflowIdConflictPolicy: 'USE_EXISTING' as const };
  await client.workflow.executeUpdateWithStart(runDueStepUpdate, {
    args: [{ until }],
    startWorkflowOperation: new WithStartWorkflowOperation('collection', start),
  });
}

/** The Update's id is the call's: a repeat joins the first. */
export async function payInvoice(client: Client, ref: InvoiceRef, call: PayCall): Promise<void> {
  const start = { ...collectionStart(ref), workflowIdConflictPolicy: 'USE_EXISTING' as const };
  await client.workflow.executeUpdateWithStart(payUpdate, {
    updateId: call.operationId,
    args: [call],
    startWorkflowOperation: new WithStartWorkflowOperation('collection', start),
  });
}

export async function startRefund(client: Client, ref: RefundRef): Promise<void> {
  await client.workflow.start('refund', {
    workflowId: refundWorkflowId(ref),
    taskQueue: TASK_QUEUE,
    args: [ref],
    typedSearchAttributes: ofAccount(ref),
    staticSummary: 'Sends a refund back through the processor',
  });
}

export async function startProcessorEvent(client: Client, told: ToldByProcessor): Promise<void> {
  await client.workflow.start('processorEvent', {
    workflowId: processorEventWorkflowId(told),
    taskQueue: TASK_QUEUE,
    args: [told],
    typedSearchAttributes: ofAccount(told),
    staticSummary: `${told.subject.provider}: ${told.subject.kind}`,
  });
}
