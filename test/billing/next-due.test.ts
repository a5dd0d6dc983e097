import { expect, test } from 'vitest';
import { nextDue } from '../../billing/next-due.ts';
import type { CustomerState } from '../../billing/state/customer-state.ts';
import { howMany } from '../how-many.ts';
import { randomLife } from './gate/random-life.ts';
import { CorePlayer } from './lives/core-player.ts';
import { instantOf } from './lives/life.ts';
import { stateOf } from './simulator/contract/core-state.ts';

const LIVES = howMany(200, 2000);
const FIRST = 20_261_128;
const DAY_MS = 86_400_000;

/** The copies of the services tell nobody that a trial ends. */
function withoutNotices(state: CustomerState): CustomerState {
  const subscriptions = state.subscriptions.map((subscription) => {
    const { trial: _notice, ...currentPeriod } = subscription.currentPeriod;
    return { ...subscription, currentPeriod };
  });
  return { ...state, subscriptions };
}

test(`what is due next of the states of ${LIVES} random lives is what happens next in them`, {
  timeout: 600_000,
}, () => {
  const kinds = new Set<string>();
  for (let seed = FIRST; seed < FIRST + LIVES; seed++) {
    const life = randomLife(seed);
    const player = new CorePlayer(life);
    for (const step of life.steps) {
      player.perform(step);
      const at = instantOf(step.at);
      for (const contract of player.payers().flatMap((customer) => player.contractsOf(customer))) {
        const next = contract.nextStep();
        const state = withoutNotices(stateOf(contract, at));
        expect(nextDue(state, Number.POSITIVE_INFINITY), `life ${seed}`).toEqual(next);
        if (!next) continue;
        kinds.add(next.kind);
        expect(nextDue(state, next.dueAt)).toEqual(next);
        expect(nextDue(state, next.dueAt - DAY_MS)).toBeNull();
      }
    }
  }
  expect([...kinds].toSorted()).toEqual(['bill_waiting', 'cancel', 'close_period', 'resume', 'switch']);
});

test('of steps that are due at one instant the closing comes first, then by subscription', () => {
  const player = new CorePlayer({
    customers: [{ id: 'a' }],
    plans: { month: { fee: '30' } },
    steps: [],
    until: 1,
  });
  player.perform({ at: 0, do: 'subscribe', plan: 'month' });
  player.perform({ at: 0, do: 'subscribe', plan: 'month' });
  player.perform({ at: 1, do: 'pause', inDays: 29 });
  const [first, second] = player.contractsOf('a').map((contract) => stateOf(contract, instantOf(1)));
  if (!first || !second) throw new Error('two subscriptions');
  const subscriptions = [...second.subscriptions, ...first.subscriptions];
  const of = { ...first, subscriptions };
  expect(nextDue(of, Number.POSITIVE_INFINITY)).toMatchObject({ kind: 'close_period', subscriptionId: 's0' });
});
