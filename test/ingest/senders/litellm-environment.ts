import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadLauncherConfig } from '../../../runtime/config.ts';

/** The release that is run, and whose bodies are recorded in `litellm-<release>.json`. */
export const LITELLM = '1.106.0';

/** Installs packages for a tenth of what pip takes. */
const UV = 'uv==0.13.9';
/** What it imports for the models of some providers alone, which the test does not call: half of what an installation takes. */
const LEFT_OUT = new Set(['boto3', 'filelock', 'huggingface-hub', 'jsonschema', 'tokenizers']);
const REQUIRED = 'import importlib.metadata as metadata; print("\\n".join(metadata.requires("litellm")))';

const PIP_OPTIONS = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-compile', '--only-binary', ':all:'];

const run = promisify(execFile);

/** A Python with LiteLLM in it, or why there is none. */
export type LitellmPython = { python: string } | { missing: string };

/**
 * The Python of a virtual environment with LiteLLM, beside the engines' binaries in our cache: made by the first test that asks, and kept.
 */
export async function litellmPython(): Promise<LitellmPython> {
  const { cacheDir } = loadLauncherConfig();
  const kept = join(cacheDir, `litellm-${LITELLM}`);
  const python = join(kept, 'bin/python');
  if (await runs(python)) return { python };
  if (!(await runs('python3'))) return { missing: 'there is no Python 3 on this machine' };
  await mkdir(cacheDir, { recursive: true });
  const making = await mkdtemp(join(cacheDir, '.litellm-'));
  try {
    const install = await makeEnvironment(making);
    const made = join(making, 'bin/python');
    await install(['--no-deps', `litellm==${LITELLM}`]);
    const { stdout } = await run(made, ['-c', REQUIRED]);
    const required = stdout.split('\n').filter((line) => line !== '' && !line.includes('extra =='));
    await install(required.filter((line) => !LEFT_OUT.has(/^[\w-]+/.exec(line)?.[0] ?? '')));
    // One whose Python is gone; of another process that made one meanwhile either will do.
    if (!(await runs(python))) await rm(kept, { recursive: true, force: true });
    await rename(making, kept).catch(() => undefined);
    return { python };
  } catch (error) {
    return { missing: `LiteLLM ${LITELLM} cannot be installed: ${error instanceof Error ? error.message : error}` };
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

type Install = (what: readonly string[]) => Promise<void>;

/** Makes a virtual environment; gives what installs into it: uv, or where that cannot be had, pip. */
async function makeEnvironment(folder: string): Promise<Install> {
  const python = join(folder, 'bin/python');
  try {
    await run('python3', ['-m', 'venv', '--without-pip', folder]);
    const tools = join(folder, 'tools');
    await run('python3', ['-m', 'pip', 'install', ...PIP_OPTIONS, '--target', tools, UV]);
    return async (what) => {
      const options = ['--quiet', '--no-cache', '--only-binary', ':all:', '--python', python];
      await run(join(tools, 'bin/uv'), ['pip', 'install', ...options, ...what], { env: uvEnvironment() });
    };
  } catch {
    await run('python3', ['-m', 'venv', folder]);
    // Of thousands of modules Python compiles those that it imports.
    return async (what) => void (await run(python, ['-m', 'pip', 'install', ...PIP_OPTIONS, ...what]));
  }
}

/** Where pip is told to look, uv looks, too. */
function uvEnvironment(): NodeJS.ProcessEnv {
  const { PIP_INDEX_URL, PIP_FIND_LINKS, PIP_CERT } = process.env;
  return {
    ...process.env,
    ...(PIP_INDEX_URL && { UV_DEFAULT_INDEX: PIP_INDEX_URL }),
    ...(PIP_FIND_LINKS && { UV_FIND_LINKS: PIP_FIND_LINKS }),
    ...(PIP_CERT && { SSL_CERT_FILE: PIP_CERT }),
  };
}

async function runs(python: string): Promise<boolean> {
  return run(python, ['--version']).then(
    () => true,
    () => false,
  );
}
