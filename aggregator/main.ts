import { loadProcessConfig } from '../runtime/config.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createAggregator } from './aggregator.ts';

await runProcess(createAggregator(loadProcessConfig()));
