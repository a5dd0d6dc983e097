type Waiting<Q, A> = { question: Q; resolve(answer: A): void; reject(error: unknown): void };

type Limits = { atOnce: number; most: number; everyMs?: number };

/**
 * Questions that come while others are under way wait and are then asked together: at low load each is asked at once, under
 * load a call answers many. `load` answers in the order of its questions; where it fails, all it was asked fail.
 * `atOnce` calls are under way at most, each with `most` questions; one begins at the earliest `everyMs` after the one before.
 */
export function askTogether<Q, A>(
  load: (questions: Q[]) => Promise<A[]>,
  { atOnce, most, everyMs = 0 }: Limits,
): (question: Q) => Promise<A> {
  const waiting: Waiting<Q, A>[] = [];
  let underWay = 0;
  let nextAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  async function askSome() {
    const some = waiting.splice(0, most);
    underWay++;
    try {
      const answers = await load(some.map(({ question }) => question));
      if (answers.length !== some.length) throw new Error(`${some.length} questions got ${answers.length} answers`);
      for (const [i, { resolve }] of some.entries()) resolve(answers[i] as A);
    } catch (error) {
      for (const { reject } of some) reject(error);
    } finally {
      underWay--;
      start();
    }
  }

  function start() {
    while (underWay < atOnce && waiting.length > 0 && timer === undefined) {
      const early = nextAt - performance.now();
      if (early > 0) {
        timer = setTimeout(() => {
          timer = undefined;
          nextAt = Number.NEGATIVE_INFINITY;
          start();
        }, early);
        return;
      }
      nextAt = performance.now() + everyMs;
      void askSome();
    }
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      start();
    });
}

/** Keys remembered while nothing is asked by them: of a few hundred bytes each. */
const MAX_IDLE_KEYS = 1_000;

/** {@link askTogether} for each key by itself: what one key's questions fail with, or wait for, is no other's. */
export function askTogetherBy<Q, A>(
  keyOf: (question: Q) => string,
  load: (questions: Q[]) => Promise<A[]>,
  limits: Limits,
): (question: Q) => Promise<A> {
  const askers = new Map<string, { ask: (question: Q) => Promise<A>; open: number }>();
  return async (question) => {
    const key = keyOf(question);
    const asker = askers.get(key) ?? { ask: askTogether(load, limits), open: 0 };
    askers.set(key, asker);
    asker.open++;
    try {
      return await asker.ask(question);
    } finally {
      asker.open--;
      if (asker.open === 0 && askers.size > MAX_IDLE_KEYS) askers.delete(key);
    }
  };
}
