import { condition } from '@temporalio/workflow';
import { keepTrace } from './forward-trace.ts';

/** Messages to a workflow that waits for them in one loop: handlers only ask, the loop performs one after another. */
export type Inbox = {
  /** Enqueues `perform` and resolves or rejects as it does, when its turn has come. */
  ask<T>(perform: () => Promise<T>): Promise<T>;
  isEmpty(): boolean;
  /** Performs the oldest message; a failure goes to whoever asked and not to the loop. */
  performNext(): Promise<void>;
};

export function openInbox(): Inbox {
  const waiting: (() => Promise<void>)[] = [];
  return {
    isEmpty: () => waiting.length === 0,
    performNext: async () => {
      await waiting.shift()?.();
    },
    ask: async <T>(perform: () => Promise<T>) => {
      let outcome: { value: T } | { failure: unknown } | undefined;
      const traced = keepTrace(perform);
      waiting.push(async () => {
        outcome = await traced().then(
          (value) => ({ value }),
          (failure: unknown) => ({ failure }),
        );
      });
      await condition(() => outcome !== undefined);
      if (outcome && 'value' in outcome) return outcome.value;
      throw outcome?.failure;
    },
  };
}
