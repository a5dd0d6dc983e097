import { auditIngestion } from '../../../services/usage/audit-ingestion.ts';
import { ingestionAuditQuery, ingestionAuditToWire, ingestionAuditWire } from '../../../wire/ingestion-audit.ts';
import { operation } from '../../operation.ts';

export const ingestionAudit = operation({
  id: 'auditIngestion',
  method: 'get',
  path: '/api/ingestion/audit',
  tag: 'Events',
  summary: 'Compare the events accepted with what became of them',
  description:
    'By time of receipt, over whole hours: start is taken down and end up to the hour; a date is the start of that day in UTC. accepted = landed + repeated + dead_lettered + missing. Waits until everything accepted before the question has been audited.',
  scope: 'read',
  query: ingestionAuditQuery,
  success: 200,
  response: ingestionAuditWire,
  errors: [503],
  run: async ({ caller, query }, dependencies) =>
    ingestionAuditToWire(await auditIngestion(dependencies, caller.accountId, query)),
});
