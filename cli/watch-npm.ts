import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const POLL_MS = 500;

/**
 * Calls `gone` once when the npm that runs us goes away: a killed npm tells nobody. npm starts a script through a shell, so
 * the process to watch may be our parent's parent; whatever is above npm is not our business.
 */
export function watchNpm(gone: () => void): void {
  const shell = process.ppid;
  const throughShell = isShell(shell);
  const npm = throughShell ? parentOf(shell) : shell;
  const timer = setInterval(() => {
    if (process.ppid === shell && (!throughShell || parentOf(shell) === npm)) return;
    clearInterval(timer);
    gone();
  }, POLL_MS);
  timer.unref();
}

function isShell(pid: number): boolean {
  const [program = '', flag = ''] = commandOf(pid);
  return /^-?(sh|bash|dash|zsh|ash|busybox)$/.test(basename(program)) && flag.startsWith('-c');
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return ps(pid, 'args=').split(' ');
  }
}

function parentOf(pid: number): number {
  try {
    // The second field is the program's name in brackets, in which anything may stand.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return Number(ps(pid, 'ppid='));
  }
}

function ps(pid: number, column: string): string {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
