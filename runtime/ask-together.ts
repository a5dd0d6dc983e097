type Waiting<Q, A> = { question: Q; resolve(answer: A): void; reject(error: unknown): void };

/**
 * Questions that come while others are under way wait and are then asked together: at low load each is asked at once, under
 * load a call answers many. `load` answers in the order of its questions; where it fails, all it was asked fail.
 * `atOnce` calls are under way at most, each with `most` questions; one begins at the earliest `everyMs` after the one before.
 */
export function askTogether<Q, A>(
  load: (questions: Q[]) => Promise<A[]>,
  { atOnce, most, everyMs = 0 }: { atOnce: number; most: number; everyMs?: number },
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
