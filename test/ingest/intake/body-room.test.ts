import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBodyRoom, type Place } from '../../../ingest/intake/body-room.ts';

/** Who has been let in, in order; each leaves when it is told to. */
function visitors(totalBytes: number, waitMs = 10_000) {
  const room = createBodyRoom(totalBytes, waitMs);
  const inside: string[] = [];
  const place = new Map<string, Place>();
  const enter = async (name: string, accountId: string, bytes: number) => {
    place.set(name, await room.enter(accountId, bytes));
    inside.push(name);
  };
  const leave = async (name: string) => {
    place.get(name)?.leave();
    await sleep(1);
  };
  return { room, inside, enter, leave };
}

test('an account has as much as is free; the rest of its bodies wait in order, and others go past them', async () => {
  const { room, inside, enter, leave } = visitors(100);
  const all = [enter('a1', 'ann', 40), enter('a2', 'ann', 40), enter('a3', 'ann', 5), enter('b1', 'bob', 20)];
  await sleep(1);
  // After 40 of hers there are 60: she may not have 80.
  expect(inside).toEqual(['a1', 'b1']);
  await leave('a1');
  // With 60 taken there are 40: she may not have 45.
  expect(inside).toEqual(['a1', 'b1', 'a2']);
  await leave('b1');
  await Promise.all(all);
  expect(inside).toEqual(['a1', 'b1', 'a2', 'a3']);
  await leave('a2');
  await leave('a3');
  expect(room.taken()).toBe(0);
});

test('who waits too long is told to come again, and holds up nobody', async () => {
  const { room, inside, enter, leave } = visitors(100, 20);
  await enter('a1', 'ann', 50);
  await expect(enter('a2', 'ann', 50)).rejects.toMatchObject({ code: 'unavailable' });
  await leave('a1');
  await enter('a3', 'ann', 50);
  expect([inside, room.taken()]).toEqual([['a1', 'a3'], 50]);
});
