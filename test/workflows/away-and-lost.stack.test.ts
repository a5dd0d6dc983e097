import { afterAll, beforeAll, describe, inject } from 'vitest';
import { testLostMachines } from '../cli/lost-machine.ts';
import { STRIPE_TEST_SETTINGS, stripeEnvironment } from '../processors/stripe-server.ts';
import { type On, startOwnStack } from '../stack/own-stack.ts';
import { collectSpans, testTraces } from '../tracing.ts';
import { testActionsAway } from './actions-away.ts';
import { testLostAndRestored } from './lost-and-restored.ts';

/** One stack for what stops its processes, loses its engines and starts it again: connected to the fake Stripe, and traced. */
let on: On;
let collected: Awaited<ReturnType<typeof collectSpans>>;

beforeAll(async () => {
  collected = await collectSpans();
  const stripe = stripeEnvironment({ url: inject('stripeUrl'), settings: STRIPE_TEST_SETTINGS });
  const environment = { ...stripe, ...collected.environment };
  on = { environment, stack: await startOwnStack(environment) };
});
afterAll(async () => {
  await on?.stack.stop();
  collected?.stop();
});

describe('a machine is lost', () => testLostMachines(() => on));
describe('traces', () => testTraces(() => ({ stack: on.stack, spans: collected.spans })));
describe('what is away while a call acts', () => testActionsAway(() => on.stack));
describe('what is lost', () => testLostAndRestored(() => on));
