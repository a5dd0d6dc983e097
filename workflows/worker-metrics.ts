import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { askedGauge } from '../runtime/asked-gauge.ts';
import type { ServiceMetrics } from '../services/dependencies.ts';
import { loadDrillFailed, loadDrillPassedAt } from '../sql/postgres/backup-drills.ts';
import { loadHeldAge, loadHeldEvents, loadMissingPricesTold } from '../sql/postgres/catalog/price-watch.ts';
import { countBentChains } from '../sql/postgres/chain/chain-checks.ts';
import { loadWitnessLag } from '../sql/postgres/chain/chain-heads.ts';
import { loadChainLag } from '../sql/postgres/chain/chain-queue.ts';
import { countDifferences } from '../sql/postgres/invoices/parity.ts';
import type { Pool } from '../sql/postgres/postgres.ts';
import {
  BACKLOG_CAP,
  loadInvoicesIssued,
  loadOutboxBacklog,
  loadOutboxLag,
  loadPaymentAttempts,
  loadWebhookBacklog,
} from '../sql/postgres/record-totals.ts';
import { loadArchiveLag } from '../sql/postgres/wal-place.ts';
import { loadWebhookLag } from '../sql/postgres/webhooks/webhook-deliveries.ts';
import type { WorkflowClient } from './client.ts';

/** The worker's families (spec/service#metrics). */
export type WorkerMetrics = ServiceMetrics & { ledgerImbalance: Gauge };

/** A landing takes some 200 ms; seconds mean that the aggregator is behind, minutes that it is away. */
const CUTOFF_WAIT_BUCKETS = [0.005, 0.05, 0.2, 0.5, 1, 2, 5, 15, 60, 300];

/** What is asked about the backups of this service; a family without an answer is left out. */
function backupGauges(registry: Registry, postgres: Pool): void {
  const asked = (name: string, help: string, load: () => Promise<number | undefined>) =>
    askedGauge(registry, { name, help }, async () => {
      const value = await load();
      if (value === undefined) throw new Error('nothing is known');
      return value;
    });
  const failed =
    '1 where the newest drill found a backup that cannot be restored, or is otherwise than what runs; 0 where it passed.';
  asked('meterbook_backup_drill_failed', failed, () =>
    loadDrillFailed(postgres).then((has) => (has === undefined ? has : Number(has))),
  );
  const passed = 'When a drill has passed last, in seconds since 1970.';
  const passedAt = () => loadDrillPassedAt(postgres).then((at) => at && at / 1_000);
  asked('meterbook_backup_drill_passed_timestamp_seconds', passed, passedAt);
  const lag = 'Bytes of the write-ahead log that the archive of the records does not have yet; absent: none is kept.';
  asked('meterbook_archive_lag_bytes', lag, () => loadArchiveLag(postgres));
}

/** What is asked about the chains of the accounts (spec/chain). */
function chainGauges(registry: Registry, postgres: Pool): void {
  const bentChains = 'Accounts with records not as chained, or balances not as the ledger says: somebody changed them.';
  askedGauge(registry, { name: 'meterbook_chain_bent_accounts', help: bentChains }, () => countBentChains(postgres));
  const chainLag = 'How long the oldest record that is not chained yet has been waiting.';
  askedGauge(registry, { name: 'meterbook_chain_lag_seconds', help: chainLag }, () => loadChainLag(postgres));
  const witnessLag = 'How long the oldest published head has been waiting to be given to file and witness.';
  askedGauge(registry, { name: 'meterbook_chain_witness_lag_seconds', help: witnessLag }, () =>
    loadWitnessLag(postgres),
  );
}

export function createWorkerMetrics(registry: Registry, postgres: Pool, workflows: WorkflowClient): WorkerMetrics {
  const registers = [registry];
  function countedInRecords(name: string, help: string, load: () => Promise<number>) {
    new Counter({
      name,
      help,
      registers,
      async collect() {
        const count = await load().catch(() => undefined);
        if (count === undefined) return;
        this.reset();
        this.inc(count);
      },
    });
  }
  countedInRecords('meterbook_invoices_total', 'Invoices issued, since the beginning.', () =>
    loadInvoicesIssued(postgres),
  );
  countedInRecords(
    'meterbook_payment_attempts_total',
    'Attempts to collect through a processor, since the beginning.',
    () => loadPaymentAttempts(postgres),
  );
  countedInRecords(
    'meterbook_price_missing_total',
    'Combinations told of as without a price in a price book, since the beginning.',
    () => loadMissingPricesTold(postgres),
  );
  const held = 'Usage events that wait for a price, in all accounts; counted every minute.';
  askedGauge(registry, { name: 'meterbook_held_usage_events', help: held }, () => loadHeldEvents(postgres));
  const heldAge = 'How long ago the first of the combinations was told of whose usage waits for a price.';
  askedGauge(registry, { name: 'meterbook_held_usage_age_seconds', help: heldAge }, () => loadHeldAge(postgres));
  const parity =
    'Where issued invoices came out otherwise when they were computed again; anything but 0 is a bug, or somebody changed the records.';
  askedGauge(registry, { name: 'meterbook_parity_differences', help: parity }, () => countDifferences(postgres));
  chainGauges(registry, postgres);
  backupGauges(registry, postgres);
  const webhookLag = 'How long the oldest event has been waiting for its first attempt.';
  askedGauge(registry, { name: 'meterbook_webhook_lag_seconds', help: webhookLag }, () => loadWebhookLag(postgres));
  const outboxLag = 'How long the oldest event of the outbox has been waiting to be published to workflows.';
  askedGauge(registry, { name: 'meterbook_outbox_lag_seconds', help: outboxLag }, () => loadOutboxLag(postgres));
  const outboxBacklog = `Events of the outbox that wait to be told to workflows, at most ${BACKLOG_CAP}.`;
  const outboxBacklogOf = { name: 'meterbook_outbox_waiting_events', help: outboxBacklog };
  askedGauge(registry, outboxBacklogOf, () => loadOutboxBacklog(postgres));
  const webhookBacklog = `Webhook deliveries that wait for their first attempt, at most ${BACKLOG_CAP}.`;
  const webhookBacklogOf = { name: 'meterbook_webhook_waiting_deliveries', help: webhookBacklog };
  askedGauge(registry, webhookBacklogOf, () => loadWebhookBacklog(postgres));
  const backlog = 'Tasks of ours that Temporal has and no worker has taken yet, about.';
  const backlogOf = { name: 'meterbook_workflow_backlog_tasks', help: backlog, label: 'type' };
  askedGauge(registry, backlogOf, () => workflows.loadBacklog());
  return {
    webhookAttempts: webhookAttemptsCounter(registers),
    cutoffWaitSeconds: new Histogram({
      name: 'meterbook_seal_wait_seconds',
      help: 'Time from the usage cutoff of a period until everything up to it had landed.',
      buckets: CUTOFF_WAIT_BUCKETS,
      registers,
    }),
    ledgerImbalance: new Gauge({
      name: 'meterbook_ledger_imbalance',
      help: 'By how much ledger transactions are off zero in all; anything but 0 is a bug.',
      registers,
    }),
  };
}

function webhookAttemptsCounter(registers: Registry[]): Counter<'outcome'> {
  const attempts = new Counter({
    name: 'meterbook_webhook_attempts_total',
    help: 'Webhook attempts of this process, by outcome: succeeded or failed.',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of ['succeeded', 'failed']) attempts.inc({ outcome }, 0);
  return attempts;
}
