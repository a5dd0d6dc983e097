import { chmod, rm } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { reservePorts } from '../../local/free-ports.ts';
import { startPostgresPair } from '../../rehearse/postgres-pair.ts';
import { answerOf } from '../../runtime/http/errors.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** Servers start and recover within it, also on a machine that does much else. */
const READY_MS = 100_000;

test('when the primary dies, its standby has all that was answered, and pools of several servers find it', async () => {
  const folder = await makeDataFolder('meterbook-pair-');
  await chmod(folder, 0o755);
  const reserved = await reservePorts(folder, 2);
  const [first = 0, second = 0] = reserved.ports;
  const observer = { say: () => {}, pidChanged: () => {} };
  const pair = await startPostgresPair({ dataDir: folder, environment: process.env, observer }, [first, second]);
  const pool = createPool(pair.url);
  let ends = false;
  onTestFinished(async () => {
    ends = true;
    await pool.end();
    await pair.stop(5_000);
    reserved.release();
    await rm(folder, { recursive: true, force: true });
  });
  await pool.query('CREATE TABLE answered (n int PRIMARY KEY)');
  const answered: number[] = [];
  const refusals = new Map<number, string>();
  const writing = (async () => {
    for (let n = 0; !ends; n++) {
      const written = await pool.query('INSERT INTO answered VALUES ($1)', [n]).catch((error: Error) => {
        refusals.set(answerOf(error, 'req_1').status, error.message);
      });
      if (written) answered.push(n);
    }
  })();
  const more = (than: number) =>
    waitUntil(
      async () => answered.length,
      (count) => count > than + 50,
      READY_MS,
    );

  await more(0);
  await pair.failOver();
  await more(answered.length);
  await pair.follow();
  await more(answered.length);
  await pair.failOver();
  await more(answered.length);
  ends = true;
  await writing;
  // What met the dying server is for the caller to repeat, never a mistake of ours.
  expect([...refusals.keys()], JSON.stringify([...refusals])).toEqual([503]);
  const { rows } = await pool.query<{ n: number }>('SELECT n FROM answered');
  const there = new Set(rows.map(({ n }) => n));
  expect(answered.filter((n) => !there.has(n))).toEqual([]);
});
