import { describe, expect, test } from 'vitest';
import { Progress } from '../../local/supervise/progress.ts';
import { type HealthCheck, HealthWatch } from '../../local/supervise/watch-health.ts';

const TIMING = { everyMs: 10, timeoutMs: 20 };
const never = () => new Promise<boolean>(() => {});

/** A check that answers these in turn, the last for ever. */
function checkOf(answers: (boolean | Error | 'hang')[], more: Partial<HealthCheck> = {}) {
  let asked = 0;
  const check: HealthCheck = {
    isHealthy: async () => {
      const answer = answers[Math.min(asked++, answers.length - 1)];
      if (answer instanceof Error) throw answer;
      return answer === 'hang' ? never() : answer === true;
    },
    hasServed: () => false,
    idleMs: async () => Number.MAX_SAFE_INTEGER,
    ...more,
  };
  return { check, asked: () => asked };
}

const lives = () => new AbortController();

describe('a process that lives', () => {
  test('is started again after it has been unhealthy for its patience without a pause', async () => {
    const watch = new HealthWatch(100, TIMING);
    const { check, asked } = checkOf([true, false]);
    expect(await watch.reasonToRestart(check, lives().signal)).toMatch(/^unhealthy for 0 s \(it answers with errors\)/);
    expect(asked()).toBeGreaterThanOrEqual(4);
  });

  test('is left alone while it is healthy now and then', async () => {
    const watch = new HealthWatch(60, TIMING);
    let asked = 0;
    const life = lives();
    const { check } = checkOf([], {
      isHealthy: async () => {
        if (++asked === 60) life.abort();
        return asked % 2 === 0;
      },
    });
    expect(await watch.reasonToRestart(check, life.signal)).toBeUndefined();
    expect(asked).toBe(60);
  });

  test('counts as unhealthy if it does not answer in time, and the reason says so', async () => {
    const { check } = checkOf([true, 'hang']);
    const reason = await new HealthWatch(50, TIMING).reasonToRestart(check, lives().signal);
    expect(reason).toContain('no answer in 20 ms');
  });

  test('is started again at once if it is stuck', async () => {
    const { check, asked } = checkOf([true], { isStuck: async () => 'its disk was full and has room again' });
    expect(await new HealthWatch(60_000, TIMING).reasonToRestart(check, lives().signal)).toBe(
      'its disk was full and has room again',
    );
    expect(asked()).toBe(0);
  });

  test('is left alone while a restart would not help', async () => {
    const life = lives();
    const { check } = checkOf([true, false], { excuse: () => 'its disk is full' });
    setTimeout(() => life.abort(), 300);
    expect(await new HealthWatch(50, TIMING).reasonToRestart(check, life.signal)).toBeUndefined();
  });

  test('may take as long as it makes progress before it is healthy for the first time', async () => {
    const life = lives();
    const { check } = checkOf([false], { idleMs: async () => 0 });
    setTimeout(() => life.abort(), 300);
    expect(await new HealthWatch(50, TIMING).reasonToRestart(check, life.signal)).toBeUndefined();
    const { check: served } = checkOf([false], { hasServed: () => true, idleMs: async () => 0 });
    expect(await new HealthWatch(50, TIMING).reasonToRestart(served, lives().signal)).toContain('errors');
    const { check: idle } = checkOf([false]);
    expect(await new HealthWatch(50, TIMING).reasonToRestart(idle, lives().signal)).toContain('it answers with errors');
  });
});

test('patience doubles with each restart that does not help', async () => {
  const watch = new HealthWatch(40, TIMING);
  const looks: number[] = [];
  for (let n = 0; n < 4; n++) {
    const { check, asked } = checkOf([true, false]);
    await watch.reasonToRestart(check, lives().signal);
    looks.push(asked());
  }
  expect(looks[3]).toBeGreaterThan((looks[0] ?? 0) * 2);
});

describe('progress', () => {
  test('is a new line, or more than a second of processor time', async () => {
    let [now, cpuMs, written] = [0, 0, 0];
    const progress = new Progress(
      async () => ({ cpuMs, written }),
      1,
      () => now,
    );
    now = 30_000;
    expect(await progress.idleMs()).toBe(30_000);
    cpuMs = 1_000;
    expect(await progress.idleMs()).toBe(30_000);
    cpuMs = 1_200;
    expect(await progress.idleMs()).toBe(0);
    now = 50_000;
    written = 10;
    expect(await progress.idleMs()).toBe(0);
    now = 60_000;
    expect(await progress.idleMs()).toBe(10_000);
    // It has been started anew.
    cpuMs = 100;
    expect(await progress.idleMs()).toBe(0);
  });
});
