import { afterAll, beforeAll, describe, inject } from 'vitest';
import { testLostMachines } from '../cli/lost-machine.ts';
import { STRIPE_TEST_SETTINGS, stripeEnvironment } from '../processors/stripe-server.ts';
import { type On, startOwnStack } from '../stack/own-stack.ts';
import { collectSpans, testTraces } from '../tracing.ts';
import { testActionsAway } from './actions-away.ts';
import { testLostAndRestored } from './lost-and-restored.ts';
import { type Lives, openLives } from './real-time-lives.ts';

/** One stack for what stops its processes, loses its engines and starts it again: connected to the fake Stripe, and traced after its last start. */
let on: On;
/** Opened while the tasks of a killed worker are waited for. */
let lives: Promise<Lives> | undefined;
let collected: Awaited<ReturnType<typeof collectSpans>>;

beforeAll(async () => {
  collected = await collectSpans();
  const environment = stripeEnvironment({ url: inject('stripeUrl'), settings: STRIPE_TEST_SETTINGS });
  on = { environment, stack: await startOwnStack(environment) };
});
afterAll(async () => {
  await on?.stack.stop();
  collected?.stop();
});

describe('a machine is lost', () => testLostMachines(() => on));
describe('what is away while a call acts', () =>
  testActionsAway(
    () => on.stack,
    () => {
      lives = openLives(() => on.stack.file());
      // Whoever waits for it is told.
      lives.catch(() => {});
    },
  ));
describe('what is lost', () => {
  // Spans of all that these processes do would cost more than the tests of them.
  beforeAll(() => void Object.assign(on.environment, collected.environment));
  testLostAndRestored(
    () => on,
    () => lives,
  );
});
describe('traces', () => testTraces(() => ({ stack: on.stack, spans: collected.spans })));
