import { Registry } from '@prometheus-io/client';
import { expect, test } from 'vitest';
import { countedRedemptions } from '../../api/coupon-redemptions.ts';
import { conflict } from '../../core/domain-error.ts';

test('coupons of a call are redeemed or refused together; previews and failures of ours count nowhere', async () => {
  const registry = new Registry();
  const count = countedRedemptions(registry);
  const told = async () =>
    [...(await registry.metrics()).matchAll(/outcome="(\w+)"\} (\d+)/g)].map(([, of, n]) => `${of} ${n}`);
  expect(await told()).toEqual(['redeemed 0', 'refused 0']);
  expect(await count(2, undefined, Promise.resolve('made'))).toBe('made');
  await expect(count(1, undefined, Promise.reject(conflict('Exhausted.')))).rejects.toThrow('Exhausted.');
  await expect(count(1, undefined, Promise.reject(new Error('Away.')))).rejects.toThrow('Away.');
  await count(1, {}, Promise.resolve('previewed'));
  await count(0, undefined, Promise.resolve('without'));
  expect(await told()).toEqual(['redeemed 2', 'refused 1']);
});
