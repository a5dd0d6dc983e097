import { loadAccount } from '../../../sql/postgres/accounts/accounts.ts';
import { accountToWire, accountWire } from '../../../wire/accounts/account.ts';
import { operation } from '../../operation.ts';

export const retrieveAccount = operation({
  id: 'retrieveAccount',
  method: 'get',
  path: '/api/account',
  tag: 'Account',
  summary: "Retrieve the account's settings",
  scope: 'read',
  success: 200,
  response: accountWire,
  run: ({ caller, read }) => read(async (tx) => accountToWire(await loadAccount(tx, caller.accountId))),
});
