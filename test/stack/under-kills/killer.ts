import type { Stack } from '../../../local/start-stack.ts';
import { killProcess, type Victim } from '../kills.ts';

type Kill = `${'SIGKILL' | 'SIGTERM'} ${Victim}`;

export type Killer = ReturnType<typeof startKiller>;

/** Kills processes of a stack on which several scenes go on at a time, and knows which of them each kill has met. */
export function startKiller(stack: Stack) {
  const met = new Map<string, Set<Kill>>();
  const underWay = new Set<string>();

  return {
    async kill(victim: Victim, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
      await killProcess(stack, victim, signal);
      for (const scene of underWay) met.get(scene)?.add(`${signal} ${victim}`);
    },
    /** What dies until `work` is done has met `scene`. */
    async meeting<T>(scene: string, work: Promise<T>): Promise<T> {
      if (!met.has(scene)) met.set(scene, new Set());
      underWay.add(scene);
      return work.finally(() => underWay.delete(scene));
    },
    /** The kills that a scene was under way at. */
    met: (scene: string): Kill[] => [...(met.get(scene) ?? [])],
  };
}
