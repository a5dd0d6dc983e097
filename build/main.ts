import { buildConsole } from '../console/build/build-console.ts';
import { buildDocs } from '../docs/site/build-docs.ts';

const log = (line: string) => console.log(line);
await buildConsole(log);
await buildDocs(log);
