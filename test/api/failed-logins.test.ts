import { expect, test } from 'vitest';
import { countFailedLogins } from '../../api/sessions/failed-logins.ts';

const HERE = '203.0.113.7';
const fails = async () => undefined;
const succeeds = async () => 'session';

function counted() {
  const time = { now: 1_000_000 };
  const judge = countFailedLogins({ now: () => time.now });
  return {
    time,
    judge,
    statusOf: (address: string, attempt: () => Promise<unknown>) => statusOf(judge(address, attempt)),
  };
}

async function statusOf(judged: Promise<unknown>): Promise<unknown> {
  return judged.then(
    (answer) => answer ?? 401,
    ({ status, headers }) => [status, headers['Retry-After']],
  );
}

test('after ten failures within a minute nobody logs in from there; elsewhere, and later, they do', async () => {
  const { time, statusOf } = counted();
  for (let i = 0; i < 10; i++) {
    expect(await statusOf(HERE, fails)).toBe(401);
    time.now += 1_000;
  }
  expect(await statusOf(HERE, succeeds)).toEqual([429, '50']);
  expect(await statusOf('203.0.113.8', succeeds)).toBe('session');
  time.now += 49_999;
  expect(await statusOf(HERE, succeeds)).toEqual([429, '1']);
  time.now += 1;
  expect(await statusOf(HERE, succeeds)).toBe('session');
  // The nine others still count.
  expect(await statusOf(HERE, fails)).toBe(401);
  expect(await statusOf(HERE, succeeds)).toEqual([429, '1']);
});

// "Every attempt that opens no session counts" (spec/accounts#sessions)
test('an attempt that throws is a failure', async () => {
  const { statusOf, judge } = counted();
  for (let i = 0; i < 10; i++) {
    await expect(judge(HERE, () => Promise.reject(new Error('broken body')))).rejects.toThrow('broken body');
  }
  expect(await statusOf(HERE, succeeds)).toEqual([429, '60']);
});

test('an attempt that is refused unjudged is no failure, nor is one that succeeds', async () => {
  const { time, statusOf } = counted();
  for (let i = 0; i < 20; i++) expect(await statusOf(HERE, succeeds)).toBe('session');
  for (let i = 0; i < 10; i++) await statusOf(HERE, fails);
  for (let i = 0; i < 20; i++) await statusOf(HERE, fails);
  time.now += 60_000;
  expect(await statusOf(HERE, succeeds)).toBe('session');
});

test('of a burst only ten are judged', async () => {
  const { statusOf } = counted();
  let judged = 0;
  const attempt = async () => {
    judged++;
    await new Promise((resolve) => setImmediate(resolve));
    return undefined;
  };
  const answers = await Promise.all(Array.from({ length: 50 }, () => statusOf(HERE, attempt)));
  expect([judged, answers.filter((answer) => answer === 401).length]).toEqual([10, 10]);
});

test('a network of IPv6 addresses counts as one', async () => {
  const { statusOf } = counted();
  for (let i = 1; i <= 10; i++) expect(await statusOf(`2001:db8::${i}`, fails)).toBe(401);
  expect(await statusOf('2001:db8::ffff:1', succeeds)).toEqual([429, '60']);
  expect(await statusOf('2001:db8:0:1::1', succeeds)).toBe('session');
});
