import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';

const confOf = (path: string) => readFileSync(join(import.meta.dirname, '../../operations', path), 'utf8');
const conf = confOf('compose/proxy.conf');

test.each([
  [
    true,
    [
      'GET /metrics',
      'HEAD /metrics',
      'GET /metrics/',
      'GET /metrics.json',
      'GET /readyz',
      'GET /readyz/worker',
      'POST /readyz',
    ],
  ],
  [false, ['POST /metrics', 'GET /livez', 'GET /api/metrics', 'GET /metrics-of-mine', 'GET /readyzz', 'GET /docs']],
])('the proxy keeps what is of the inside to itself: %s', (isInner, requests) => {
  const map = /map "\$request_method \$uri" \$is_inner \{([^}]*)\}/.exec(conf)?.[1] ?? '';
  const patterns = [...map.matchAll(/"~(.*)" 1;/g)].map(([, pattern = '']) => new RegExp(pattern));
  expect(conf).toMatch(/server \{\s*listen 8080;\s*if \(\$is_inner\) \{ return 404; \}/);
  for (const asked of requests)
    expect(
      patterns.some((one) => one.test(asked)),
      asked,
    ).toBe(isInner);
});

test('the proxy tells for whom it asks: the address of the connection, or what ended TLS says, from a private network alone', () => {
  const believed = [...conf.matchAll(/^set_real_ip_from (.*);$/gm)].map(([, network = '']) => network.split('/')[0]);
  const ranges = new Set(believed.map((address = '') => ipaddr.parse(address).range()));
  expect(ranges).toEqual(new Set(['loopback', 'private', 'uniqueLocal']));
  expect(conf).toMatch(/^real_ip_header X-Forwarded-For;\nreal_ip_recursive on;$/m);
  expect(conf).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
});

test('the proxy overwrites the origin that a caller claims, but for what ended TLS, from the same networks', () => {
  const believed = [...conf.matchAll(/^set_real_ip_from (.*);$/gm)].map(([, network]) => network);
  const geo = /^geo \$realip_remote_addr \$is_behind_tls \{\s*default 0;([^}]*)\}/m.exec(conf)?.[1] ?? '';
  expect([...geo.matchAll(/(\S+) 1;/g)].map(([, network]) => network)).toEqual(believed);
  for (const [header, own] of [
    ['proto', '$scheme'],
    ['host', '$http_host'],
    ['port', '""'],
  ] as const) {
    const told = `"~^1:(?<told_${header}>.+)$" $told_${header}`;
    expect(conf).toContain(
      `map "$is_behind_tls:$http_x_forwarded_${header}" $asked_${header} { ${told}; default ${own}; }`,
    );
    expect(conf).toMatch(new RegExp(`proxy_set_header X-Forwarded-${header} \\$asked_${header};`, 'i'));
  }
});

test.each([
  [
    'compose/proxy.conf',
    { 404: [404, 'not_found'], 413: [413, 'too_large'], 502: [503, 'unavailable'], 504: [503, 'unavailable'] },
  ],
  ['cluster/api-balancer.conf', { 413: [413, 'too_large'], 502: [503, 'unavailable'], 504: [503, 'unavailable'] }],
])('%s answers its own errors as the service does (spec/api#errors)', (path, expected) => {
  const text = confOf(path);
  const answers = [...text.matchAll(/error_page (\d+) = (@\w+);/g)].map(([, status = '', name]) => {
    const [, location = ''] = text.split(`location ${name} {`);
    const [, answered, body = ''] = /return (\d+) '(.*)';/.exec(location) ?? [];
    const { detail, code, request_id } = JSON.parse(body);
    expect([detail, request_id]).toEqual([expect.any(String), 'req_$request_id']);
    return [status, [Number(answered), code]];
  });
  expect(Object.fromEntries(answers)).toEqual(expected);
});
