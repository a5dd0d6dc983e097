import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a child process and waits until it is gone. One that has ended by itself, or never began, is not waited for. */
export async function killChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
