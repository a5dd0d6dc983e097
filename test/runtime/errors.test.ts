import { expect, test } from 'vitest';
import { conflict, contradiction, invalid } from '../../core/domain-error.ts';
import { answerOf, HttpError } from '../../runtime/http/errors.ts';

const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

test.each([
  [new Error('a bug'), 500, 'internal_error'],
  [away, 503, 'unavailable'],
  [new Error('a store', { cause: away }), 503, 'unavailable'],
  [Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }), 503, 'unavailable'],
  [conflict('Taken.'), 409, 'conflict'],
  [conflict('Taken often.', 'too_many'), 409, 'too_many'],
  [contradiction('Both.'), 400, 'contradiction'],
  [new HttpError(400, 'The body was cut off.'), 400, 'bad_request'],
])('%s is answered with detail, code and request_id', (error, status, code) => {
  const answer = answerOf(error, 'req_1');
  expect([answer.status, answer.body]).toEqual([status, { detail: expect.any(String), code, request_id: 'req_1' }]);
});

test('422 has the fields and nothing else', () => {
  expect(answerOf(invalid({ email: ['Required.'] }), 'req_1').body).toEqual({ email: ['Required.'] });
});
