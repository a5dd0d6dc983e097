import { loadProcessConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createWorkerProcess } from './worker-process.ts';

await runProcess(createWorkerProcess(loadProcessConfig()));
