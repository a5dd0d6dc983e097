import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * The variable every process of a stack carries, with the stack's data directory. It is how a start finds what a launcher that was
 * killed has left: unlike a pid in a file it can't point at somebody else's process that got the same number.
 */
export const STACK_MARK = 'METERBOOK_STACK';

const END_MS = 5_000;
/** A process that was killed and has not gone yet writes to its disk, or waits for a core. */
const GONE_MS = 30_000;
/** Waits that are shorter are not worth a line. */
const NEWS_MS = 2_000;
const POLL_MS = 50;

/** The pids of the live processes that carry the mark of `dataDir`, this process excepted. */
export async function findLeftovers(dataDir: string): Promise<number[]> {
  const mark = `${STACK_MARK}=${dataDir}`;
  const found = platform() === 'linux' ? await markedInProc(mark) : await markedInPs(mark);
  return found.filter((pid) => pid !== process.pid);
}

/**
 * Ends what is left of a stack, and what that still starts: SIGTERM, then SIGKILL. Answers how many processes there were, once they
 * have let go of their ports and files. Throws if one has not gone after 30 s.
 */
export async function endLeftovers(dataDir: string, say: (line: string) => void = () => undefined): Promise<number> {
  const ending = new Set<number>();
  const begun = performance.now();
  let hasSaid = false;
  for (;;) {
    const left = await findLeftovers(dataDir);
    const waitedMs = performance.now() - begun;
    for (const pid of left) {
      if (!ending.has(pid)) send(pid, 'SIGTERM');
      else if (waitedMs > END_MS) send(pid, 'SIGKILL');
      ending.add(pid);
    }
    const held = (await Promise.all([...ending].map(async (pid) => ((await hasEnded(pid)) ? [] : [pid])))).flat();
    if (left.length === 0 && held.length === 0) return ending.size;
    if (waitedMs > GONE_MS)
      throw new Error(`Processes of an earlier start on ${dataDir} do not end: ${[...left, ...held].join(', ')}.`);
    if (waitedMs > NEWS_MS && !hasSaid) {
      hasSaid = true;
      say(`waiting for ${ending.size} processes of an earlier start to end`);
    }
    await sleep(POLL_MS);
  }
}

/**
 * Whether a process that ends holds nothing any more. Its memory, and with it the mark, is gone before its sockets are: those go
 * with its last thread, after which it is a zombie alone.
 */
export async function hasEnded(pid: number): Promise<boolean> {
  if (platform() !== 'linux') return /^(Z|$)/.test(await ps(pid, 'stat='));
  const [status, threads] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''),
    readdir(`/proc/${pid}/task`).catch(() => []),
  ]);
  return status === '' || (/^State:\s+[ZX]/m.test(status) && threads.length <= 1);
}

async function markedInProc(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const marked = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return `\0${environment}`.includes(`\0${mark}\0`);
    }),
  );
  return pids.filter((_, i) => marked[i]).map(Number);
}

/** macOS shows the environment of one's own processes behind their command line. */
async function markedInPs(mark: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,command='], { maxBuffer: 2 ** 26 });
  const lines = stdout.split('\n').filter((line) => ` ${line} `.includes(` ${mark} `));
  return lines.map((line) => Number.parseInt(line, 10)).filter(Number.isInteger);
}

/** The command line of a live process; empty where there is none. */
export async function commandOf(pid: number): Promise<string> {
  if (platform() === 'linux')
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
  return ps(pid, 'args=');
}

function ps(pid: number, column: string): Promise<string> {
  return promisify(execFile)('ps', ['-p', String(pid), '-o', column]).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
}

function send(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // already gone
  }
}
