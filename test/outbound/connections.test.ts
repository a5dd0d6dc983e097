import { expect, test } from 'vitest';
import { createConnections, type GrantStore } from '../../outbound/processors/connections.ts';
import { type Grant, type PaymentProcessor, ProcessorError } from '../../outbound/processors/processor.ts';

const NOW = Date.UTC(2026, 2, 1);
const HOUR_MS = 3_600_000;
const ENDED: Grant = { externalAccountId: 'm', accessToken: 'old', refreshToken: 'r', expiresAt: NOW - HOUR_MS };
const RENEWED: Grant = { ...ENDED, accessToken: 'new', expiresAt: NOW + 24 * HOUR_MS };

/** A processor that takes only `RENEWED`, over a store that holds `stored` and lets one at a time renew it. */
function fixture(stored: Grant, refreshGrant: PaymentProcessor['refreshGrant']) {
  const held = { grant: stored, isBusy: false };
  const store: GrantStore = {
    find: async () => held.grant,
    renew: async (_account, _provider, renew) => {
      if (held.isBusy) return undefined;
      held.isBusy = true;
      try {
        held.grant = await renew(held.grant);
        return held.grant;
      } finally {
        held.isBusy = false;
      }
    },
  };
  const findPaymentMethod = async ({ accessToken }: Grant) => {
    if (accessToken !== RENEWED.accessToken) throw new ProcessorError('revoked', 'Not authorized.');
    return 'card';
  };
  const processor = { name: 'braintree', refreshGrant, findPaymentMethod } as unknown as PaymentProcessor;
  const processors = { get: async () => processor } as unknown as Parameters<typeof createConnections>[0];
  const connections = createConnections(processors, store, { now: () => NOW });
  return async () => {
    const found = await connections.find('acct', 'braintree');
    return found?.processor.findPaymentMethod(found.grant, 'payer');
  };
}

test('a grant that has ended while another call renews it was not taken back: ask again', async () => {
  const renewal = Promise.withResolvers<Grant>();
  const call = fixture(ENDED, () => renewal.promise);
  const first = call();
  await expect(call()).rejects.toMatchObject({ failure: 'away' });
  renewal.resolve(RENEWED);
  expect(await first).toBe('card');
  expect(await call()).toBe('card');
});

test('nor one that has ended while the processor cannot be asked for another', async () => {
  const call = fixture(ENDED, () => Promise.reject(new ProcessorError('away', 'timed out')));
  await expect(call()).rejects.toMatchObject({ failure: 'away' });
});

test('one that the processor renews no more was taken back, and so was one that has not ended', async () => {
  const refused = fixture(ENDED, () => Promise.reject(new ProcessorError('refused', 'no such token')));
  await expect(refused()).rejects.toMatchObject({ failure: 'revoked' });
  const unrenewable = fixture({ ...ENDED, refreshToken: null }, async () => null);
  await expect(unrenewable()).rejects.toMatchObject({ failure: 'revoked' });
  const alive = fixture({ ...ENDED, expiresAt: NOW + HOUR_MS }, () => Promise.reject(new ProcessorError('away', '')));
  await expect(alive()).rejects.toMatchObject({ failure: 'revoked' });
});
