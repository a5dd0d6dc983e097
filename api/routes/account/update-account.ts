import { updateAccount as update } from '../../../services/accounts/update-account.ts';
import { accountUpdate, accountWire } from '../../../wire/accounts/account.ts';
import { operation } from '../../operation.ts';

export const updateAccount = operation({
  id: 'updateAccount',
  method: 'patch',
  path: '/api/account',
  tag: 'Account',
  summary: "Change the account's settings",
  description: 'Invoices made from then on follow them; a new currency is the default of new customers and plans.',
  scope: 'admin',
  audit: 'account.updated',
  body: accountUpdate,
  success: 200,
  response: accountWire,
  run: ({ caller, body, write }) => write((tx) => update(tx, caller.accountId, body)),
});
