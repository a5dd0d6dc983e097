import { expect, test } from 'vitest';
import { tellablePath } from '../../runtime/http/request-log.ts';

test.each([
  ['/portal/linkt_1.17.abc', '/portal/-'],
  ['/portal/linkt_1.17.abc/api/invoices/inv_1/pdf', '/portal/-/api/invoices/inv_1/pdf'],
  ['/%70ortal/linkt_1.17.abc/api', '/%70ortal/-/api'],
  ['/portal', '/portal'],
  ['/api/customers/portal/portal_links', '/api/customers/portal/portal_links'],
  ['/%/portal/x', '/%/portal/x'],
])('of %s a log tells %s', (path, told) => {
  expect(tellablePath(path)).toBe(told);
});
