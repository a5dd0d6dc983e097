import { OpenMeter } from '@openmeter/sdk';
import { CloudEvent, emitterFor, HTTP, httpTransport, Mode } from 'cloudevents';
import { Client, getLagoError } from 'lago-javascript-client';
import { expect, test } from 'vitest';
import { stack } from '../../stack/api.ts';
import { landed } from '../../stack/resources.ts';
import { billedAccount } from './billed-account.ts';

/** Senders that people run already, unmodified, told another address and key (spec/senders). */

const PRICES = [
  { event_name: 'prompt', aggregation_type: 'count', price: '0.01' },
  { event_name: 'prompt', aggregation_type: 'sum', property_name: 'tokens', price: '0.002' },
  { event_name: 'prompt', aggregation_type: 'sum', property_name: 'usage.cost', price: '1' },
] as const;

const address = (path: string) => new URL(path, stack().base_url).href;

test('npm cloudevents: structured, binary and batch; each event is on the invoice once', async () => {
  const account = await billedAccount('acme', PRICES);
  const url = address('/api/v1/events');
  const headers = { authorization: `Bearer ${account.key}` };
  const event = (id: string, more: object = {}) => {
    const data = { tokens: 100, usage: { cost: 0.1, cached: null } };
    return new CloudEvent({ id, source: '/gateway', type: 'prompt', subject: 'acme', data, ...more });
  };
  // Its transport writes the body in chunks. It resolves whatever the status is, which it does not tell.
  const emit = (mode: Mode) => emitterFor(httpTransport(url), { binding: HTTP, mode });
  const emitted = [
    await emit(Mode.STRUCTURED)(event('1'), { headers }),
    await emit(Mode.BINARY)(event('2'), { headers }),
    // Again, in another mode: the same event.
    await emit(Mode.BINARY)(event('1'), { headers }),
    await emit(Mode.STRUCTURED)(event('3', { data: undefined, data_base64: btoa('{"tokens":50}') }), { headers }),
  ];
  expect(emitted.map((answer) => (answer as { body: string }).body)).toEqual(['', '', '', '']);
  const batch = ['2', '4', '5'].map((id) => event(id));
  const type = { ...headers, 'content-type': 'application/cloudevents-batch+json' };
  const sent = await fetch(url, { method: 'POST', headers: type, body: JSON.stringify(batch) });
  expect([sent.status, await sent.text()]).toEqual([204, '']);
  // 5 events: 4 * 100 + 50 tokens, 4 * 0.1 of cost, which floats would make 0.4 of in another order only.
  expect(await account.close()).toEqual({
    prompt: { quantity: '5', amount: '0.05', events_count: '5' },
    'prompt.tokens': { quantity: '450', amount: '0.9', events_count: '5' },
    'prompt.usage.cost': { quantity: '0.4', amount: '0.4', events_count: '5' },
  });
});

test('npm @openmeter/sdk: ingests one and many; it believes the status alone', async () => {
  const account = await billedAccount('acme', PRICES);
  const openmeter = new OpenMeter({ baseUrl: address('/'), apiKey: account.key });
  const event = (more: object = {}) => ({
    type: 'prompt',
    subject: 'acme',
    data: { tokens: 100, usage: { cost: 0.1 } },
    ...more,
  });
  await openmeter.events.ingest(event());
  await openmeter.events.ingest([event({ id: 'a', source: 'app' }), event({ id: 'b', source: 'app' })]);
  await openmeter.events.ingest([
    event({ id: 'a', source: 'app' }),
    event({ id: 'c', source: 'app', time: new Date() }),
  ]);
  // One bad among good: it throws, so that its caller looks; the good one is stored, and sending both again is safe.
  const mixed = [event({ id: 'd', source: 'app' }), event({ subject: '' })];
  await expect(openmeter.events.ingest(mixed)).rejects.toMatchObject({ name: 'HTTPError', status: 422 });
  await expect(openmeter.events.ingest(mixed)).rejects.toMatchObject({ status: 422 });
  expect(await account.close()).toEqual({
    prompt: { quantity: '5', amount: '0.05', events_count: '5' },
    'prompt.tokens': { quantity: '500', amount: '1', events_count: '5' },
    'prompt.usage.cost': { quantity: '0.5', amount: '0.5', events_count: '5' },
  });
});

test('npm lago-javascript-client: single events and batches; a repeat is no error', async () => {
  const account = await billedAccount('acme', PRICES);
  const { events } = Client(account.key, { baseUrl: address('/api/v1') });
  const event = (id: string, more: object = {}) => ({
    transaction_id: id,
    external_subscription_id: 'acme',
    code: 'prompt',
    properties: { tokens: '100', usage: { cost: 0.1 } },
    ...more,
  });
  const created = await events.createEvent({ event: event('l-1', { timestamp: Date.now() / 1_000 }) });
  const repeated = await events.createEvent({
    event: event('l-1', { timestamp: String(Math.floor(Date.now() / 1_000)) }),
  });
  expect(repeated.data.event.lago_id).toBe(created.data.event.lago_id);
  expect(created.data.event).toMatchObject({ transaction_id: 'l-1', code: 'prompt', external_subscription_id: 'acme' });
  const batch = await events.createBatchEvents({ events: [event('l-1'), event('l-2'), event('l-3')] });
  expect(batch.data.events.map(({ transaction_id }) => transaction_id)).toEqual(['l-1', 'l-2', 'l-3']);
  const refused = await events
    .createBatchEvents({ events: [event('l-4'), event('l-5', { properties: { tokens: [1] } })] })
    .catch((error: unknown) => getLagoError<'createBatchEvents'>(error));
  expect(refused).toMatchObject({
    status: 422,
    error: 'Unprocessable Entity',
    code: 'validation_errors',
    error_details: { 1: { 'properties.tokens': ['Must be a string, a number or a boolean.'] } },
  });
  await landed(account.api);
  expect(await account.close()).toEqual({
    prompt: { quantity: '4', amount: '0.04', events_count: '4' },
    'prompt.tokens': { quantity: '400', amount: '0.8', events_count: '4' },
    'prompt.usage.cost': { quantity: '0.4', amount: '0.4', events_count: '4' },
  });
});
