import { loadChainState } from '../../../services/chain/load-chain-state.ts';
import { chainHeadWire, chainStateToWire } from '../../../wire/accounts/chain.ts';
import { operation } from '../../operation.ts';

export const retrieveChainHead = operation({
  id: 'retrieveChainHead',
  method: 'get',
  path: '/api/chain/head',
  tag: 'Audit log',
  summary: 'The hash that holds all ledger transactions and invoices, and whether they are as they were written',
  description:
    'Each ledger transaction and invoice has an entry with a hash of what must never change of it and of the entry before; one is there within about a second. Whoever keeps a head can tell later whether anything up to it was changed.',
  scope: 'read',
  success: 200,
  response: chainHeadWire,
  run: ({ caller, read }) => read(async (tx) => chainStateToWire(await loadChainState(tx, caller.accountId))),
});
