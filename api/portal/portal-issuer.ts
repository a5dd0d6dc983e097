import { z } from '@hono/zod-openapi';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { operation } from '../operation.ts';

/** Who sends the invoices, as they say it themselves; what else the account has set is its own. Only the portal asks it. */
export const portalIssuer = operation({
  id: 'portalIssuer',
  method: 'get',
  path: '/portal/issuer',
  tag: 'Account',
  summary: 'Who sends the invoices',
  scope: 'read',
  success: 200,
  response: z.object({ name: z.string() }),
  run: ({ caller, read }) => read(async (tx) => ({ name: (await loadAccount(tx, caller.accountId)).name })),
});
