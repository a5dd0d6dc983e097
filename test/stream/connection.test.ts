import { expect, test } from 'vitest';
import { serversOf } from '../../stream/connection.ts';

test.each([
  ['nats://127.0.0.1:4222', { servers: ['127.0.0.1:4222'] }],
  ['a:4222, nats://b:4223', { servers: ['a:4222', 'b:4223'] }],
  ['nats://me:p%40ss@a:4222,nats://b:4222', { servers: ['a:4222', 'b:4222'], user: 'me', pass: 'p@ss' }],
])('%s', (list, expected) => {
  expect(serversOf(list)).toEqual(expected);
});
