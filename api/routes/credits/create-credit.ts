import { createCredit as create } from '../../../services/credits/create-credit.ts';
import { creditCreate, creditWire } from '../../../wire/credits.ts';
import { operation } from '../../operation.ts';

export const createCredit = operation({
  id: 'createCredit',
  method: 'post',
  path: '/api/credits',
  tag: 'Credits',
  summary: 'Give a customer credit on its next invoices',
  description: 'Applied to the next invoices by itself, earliest expiry first; what is left over carries forward.',
  scope: 'write',
  audit: 'credit.created',
  body: creditCreate,
  success: 201,
  previews: true,
  response: creditWire,
  errors: [404, 409],
  run: ({ caller, body, now, write }) => write((tx) => create(tx, caller.accountId, body, now)),
});
