import { listAuditEntries } from '../../../sql/postgres/accounts/audit-entries.ts';
import { auditEntryToWire, auditEntryWire, auditFilters } from '../../../wire/accounts/audit-log.ts';
import { instantOfMoment } from '../../../wire/moments.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listAuditLog = operation({
  id: 'listAuditLog',
  method: 'get',
  path: '/api/audit-log',
  tag: 'Audit log',
  summary: 'List what was changed, by whom and from where, newest first',
  description:
    'An entry for each call that changes something, and for what the service does by itself. start is inclusive, end exclusive.',
  scope: 'admin',
  query: pageQuery.extend(auditFilters),
  success: 200,
  response: listOf(auditEntryWire),
  run: async ({ caller, query, listing, read }) => {
    const { audit_id: auditId, key_id: keyId, action, resource_id: resourceId, customer_id: customerId } = query;
    const [start, end] = [query.start, query.end].map((moment) => moment && instantOfMoment(moment, 'UTC'));
    const filter = { auditId, keyId, action, resourceId, customerId, start, end };
    const page = await read((tx) => listAuditEntries(tx, caller.accountId, filter, listing.window));
    return listing.answer(page, auditEntryToWire);
  },
});
