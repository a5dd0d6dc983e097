import { loadProcessConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createApi } from './api.ts';

await runProcess(createApi(loadProcessConfig()));
