import { parseArgs } from 'node:util';
import { startEdge } from './edge-fixture.ts';

/** The edge in a process of its own, on a port that it shares. Tells its parent when it is ready, and how many events it accepted. */
const { values } = parseArgs({
  options: {
    nats: { type: 'string', default: '' },
    port: { type: 'string', default: '0' },
    partitions: { type: 'string', default: '1' },
  },
});

const settings = { usagePartitions: Number(values.partitions), usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };
const edge = await startEdge(values.nats, settings, { host: '127.0.0.1', port: Number(values.port), reusePort: true });
process.on('message', () => process.send?.(edge.accepted.events));
process.on('disconnect', () => process.exit());
process.send?.('listening');
