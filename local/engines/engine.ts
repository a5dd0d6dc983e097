import { join } from 'node:path';
import { COMPILE_CACHE } from '../../runtime/compile-cache.ts';
import type { ChildObserver } from '../child-process.ts';
import { STACK_MARK } from '../leftovers.ts';
import { noProxy } from '../no-proxy.ts';
import { roomOf } from '../watch-disk.ts';

/** What every engine is started with. */
export type EngineContext = {
  /** Absolute, symbolic links resolved. */
  dataDir: string;
  environment: Record<string, string | undefined>;
  observer: ChildObserver;
  /** Of what closes in the background: how far it stands back for calls and events, which somebody waits for. */
  niceness?: number | undefined;
};

/**
 * The environment of a process of this stack: the launcher's own, the mark, and what the process needs; that stands above a file
 * that the launcher's environment names for it (`<NAME>_FILE`).
 */
export function childEnvironment(
  context: EngineContext,
  own: Record<string, string> = {},
): Record<string, string | undefined> {
  const files = Object.fromEntries(Object.keys(own).map((name) => [`${name}_FILE`, undefined]));
  const inherited = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...context.environment, ...noProxy(context.environment) };
  return { ...inherited, ...files, [STACK_MARK]: context.dataDir, ...own };
}

export function logFile(context: EngineContext, name: string): string {
  return join(context.dataDir, 'logs', `${name}.log`);
}

/** How long a probe of an engine's port may take. */
const PROBE_MS = 2_000;
const MAX_SAID = 100;

/** How long a probe may take that decides whether a process lives on: a busy machine answers late. */
export const HEALTH_MS = 10_000;

/** True when `url` answers 2xx and, where given, `holds` of the body. */
export async function answers(url: string, holds: (body: string) => boolean = () => true): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
  return holds(await response.text()) && response.ok;
}

/** Resolves if `url` answers with `status`; rejects with the reason, in words, if not. */
export async function assertAnswers(url: string, status = 200): Promise<true> {
  const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_MS) }).catch((error: Error) => {
    throw new Error(error.name === 'TimeoutError' ? `no answer in ${HEALTH_MS / 1000} s` : 'no connection');
  });
  const said = await response.text();
  if (response.status !== status)
    throw new Error(`it answers ${response.status}: ${said.replace(/\s+/g, ' ').slice(0, MAX_SAID)}`);
  return true;
}

/** An engine that starts on less room may be stopped again at once. */
export const ROOM_TO_START = 64 * 2 ** 20;

/** A full disk makes engines unhealthy, and a restart gives no room. */
export function excuseOfFullDisk(folder: string): string | undefined {
  return roomOf(folder).free < ROOM_TO_START ? 'its disk is full' : undefined;
}
