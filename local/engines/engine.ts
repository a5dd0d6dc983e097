import { join } from 'node:path';
import { COMPILE_CACHE } from '../../runtime/compile-cache.ts';
import type { ChildObserver } from '../child-process.ts';
import { STACK_MARK } from '../leftovers.ts';

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
  return { NODE_COMPILE_CACHE: COMPILE_CACHE, ...context.environment, ...files, [STACK_MARK]: context.dataDir, ...own };
}

export function logFile(context: EngineContext, name: string): string {
  return join(context.dataDir, 'logs', `${name}.log`);
}

/** How long a probe of an engine's port may take. */
const PROBE_MS = 2_000;

/** True when `url` answers 2xx and, where given, `holds` of the body. */
export async function answers(url: string, holds: (body: string) => boolean = () => true): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) });
  return holds(await response.text()) && response.ok;
}
