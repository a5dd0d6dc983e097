import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Api } from '../../test/stack/api.ts';

/** What is sent again and again: each connection sends one request after another, with a pause between. */
export type Flood = {
  requests: { url: string; method: string; headers: Record<string, string>; body?: string }[];
  connections: number;
  pauseMs: number;
};

/** An attack under way. */
export type Attacking = {
  /** Ends it; resolves with how many answers of which status it got. */
  stop(): Promise<Record<string, number>>;
};

/** Where an attack happens: `key` and `api` are of an account of the attacker's own. */
export type Ground = { base: string; key: string; api: Api };

/** Makes what an attack needs; returns what begins it. */
export type Attack = (ground: Ground) => Promise<() => Promise<Attacking> | Attacking>;

/** Begins a flood in a process of its own, so that it does not slow the clock by which the victim is timed. */
export function startFlood(flood: Flood): Attacking {
  const child = fork(join(import.meta.dirname, 'flood-process.ts'));
  child.send(flood);
  return {
    stop: async () => {
      const answers = once(child, 'message');
      child.send('stop');
      const [counted] = (await answers) as [Record<string, number>];
      return counted;
    },
  };
}
