import { expect, test } from 'vitest';
import { shipped, upstreamIn } from '../../rehearse/shipped.ts';
import { isBroken, tableOf } from '../../rehearse/verdict.ts';

test('a bound is held by what is seen at it, and broken by what is above it or is no number', () => {
  const of = (seen: number) => isBroken({ what: 'an event waited', seen, bound: 20, unit: 's' });
  expect([of(0), of(20), of(20.1), of(Number.NaN)]).toEqual([false, false, true, true]);
});

test('the table says of each finding what was seen, its bound, and whether it held', () => {
  const lines = tableOf([
    { what: 'kill -9 nats-1: an event waited', seen: 4.25, bound: 20, unit: 's' },
    { what: 'periods without exactly one invoice', seen: 1, bound: 0, unit: '' },
  ]);
  expect(lines).toEqual([
    'what                                  seen  at most',
    'kill -9 nats-1: an event waited      4.3 s   20.0 s  held',
    'periods without exactly one invoice      1        0  BROKEN',
  ]);
});

test('a shipped configuration is taken as it is but for its addresses, which must stand in it', () => {
  const upstream = upstreamIn('compose/proxy.conf', 'ingest');
  const text = shipped('compose/proxy.conf', { [upstream]: 'upstream ingest { server 127.0.0.1:1; }\n' });
  expect(text).toContain('proxy_pass http://ingest;');
  expect(text).not.toContain('resolver');
  expect(() => shipped('compose/proxy.conf', { 'listen 1;': '' })).toThrow('has no "listen 1;" in it any more');
});
