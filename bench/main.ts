import { benchEdge } from './edge.ts';

/** `npm run bench -- <name>`: one table and one JSON line; ends with 1 where a run lost or made up an event. */
const BENCHES: Record<string, () => Promise<void>> = {
  edge: benchEdge,
};

const name = process.argv[2] ?? '';
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (!bench) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join('|')}`);
  process.exit(2);
}
await bench();
