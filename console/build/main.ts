import { buildConsole } from './build-console.ts';
import { writeGenerated } from './write-generated.ts';

if (process.argv.includes('--types')) await writeGenerated();
else await buildConsole((line) => console.log(line));
