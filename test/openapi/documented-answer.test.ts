import { expect, test } from 'vitest';
import { undocumentedIn } from './documented-answer.ts';

const NOT_FOUND = { code: 'not_found', detail: 'No such customer acme.', request_id: 'req_1' };
const DELETED = { status: 204, body: {} };
const LEDGER = { count: 0, next: null, previous: null, results: [] };

test.each([
  ['as documented', 'GET', '/api/customers/acme/ledger', { status: 200, body: LEDGER }],
  ['under an alias', 'GET', '/customers/acme/ledger/', { status: 200, body: LEDGER }],
  ['without a body', 'POST', '/api/customers/acme/delete/', DELETED],
  ['an error, of one with an underscore', 'GET', '/customers/acme/draft-invoice', { status: 404, body: NOT_FOUND }],
  ['of no operation', 'PUT', '/api/customers/acme/ledger', { status: 405, body: { anything: 1 } }],
  ["Prometheus's", 'GET', '/metrics', { status: 200, body: {} }],
])('%s', (_what, method, path, answer) => {
  expect(undocumentedIn({ method, path, isPreview: false }, answer)).toBeUndefined();
});

test.each([
  ['a field is missing', 200, { ...LEDGER, next: undefined }, "must have required property 'next'"],
  ['a field is extra', 200, { ...LEDGER, total: 0 }, 'must NOT have additional properties'],
  ['a field is of another type', 200, { ...LEDGER, count: '0' }, 'must be integer'],
  ['an error without its code', 404, { detail: 'No such.' }, "must have required property 'code'"],
  ['a status that it does not name', 418, {}, 'does not have status 418'],
])('%s', (_what, status, body, problem) => {
  const asked = { method: 'GET', path: '/api/customers/acme/ledger' };
  expect(undocumentedIn({ ...asked, isPreview: false }, { status, body })).toContain(problem);
});
