import { unavailable } from '../../core/domain-error.ts';
import { createSharedRoom } from '../shared-room.ts';

/** Room that a body has until it is answered. */
export type Place = { leave(): void };

export type BodyRoom = {
  /** Room for a body of an account, as soon as there is. Rejects with DomainError `unavailable` (503) where there is none in time. */
  enter(accountId: string, bytes: number): Promise<Place>;
  /** Bytes that are taken. */
  taken(): number;
};

type Waiting = { accountId: string; bytes: number; begin(place: Place): void };

/**
 * Memory for bodies in work, `totalBytes` of all accounts together: whoever comes when it is full waits up to `waitMs`, before its body
 * is read. Accounts share it as shared-room.ts says, so that one with many large bodies waits for itself; bodies of an account come in their order.
 */
export function createBodyRoom(totalBytes: number, waitMs: number): BodyRoom {
  const room = createSharedRoom(totalBytes);
  const waiting = new Set<Waiting>();

  function enterNow(accountId: string, bytes: number): Place | undefined {
    const share = room.take(accountId, bytes);
    if (!share) return undefined;
    return {
      leave: () => {
        room.release(share, bytes);
        letIn();
      },
    };
  }

  function letIn() {
    const passed = new Set<string>();
    for (const one of waiting) {
      const place = passed.has(one.accountId) ? undefined : enterNow(one.accountId, one.bytes);
      if (place) one.begin(place);
      else passed.add(one.accountId);
    }
  }

  function wait(accountId: string, bytes: number): Promise<Place> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(one);
        reject(unavailable('Too many large bodies of the account are in work. Try again.'));
      };
      const timer = setTimeout(giveUp, waitMs);
      const begin = (place: Place) => {
        clearTimeout(timer);
        waiting.delete(one);
        resolve(place);
      };
      const one = { accountId, bytes, begin };
      waiting.add(one);
    });
  }

  return {
    enter: async (accountId, bytes) => {
      const isInLine = [...waiting].some((one) => one.accountId === accountId);
      return (isInLine ? undefined : enterNow(accountId, bytes)) ?? wait(accountId, bytes);
    },
    taken: room.taken,
  };
}
