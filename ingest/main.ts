import { loadProcessConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createEdge } from './edge.ts';

await runProcess(createEdge(loadProcessConfig()));
