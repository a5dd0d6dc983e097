import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * What the launcher's own tests run in place of our four processes: answers with its environment, and writes its name down when it stops. `STAND_IN` says
 * how it behaves: `deaf` does not hear SIGTERM, `broken` ends at once. From SIGUSR2 on it answers errors only.
 */
const { PORT, HOST, STAND_IN, STAND_IN_NAME, STAND_IN_DIARY } = process.env;

if (STAND_IN === 'broken') {
  console.error('the stand-in is broken on purpose');
  process.exit(3);
}
let status = 200;
process.on('SIGUSR2', () => {
  status = 500;
});
createServer((_request, response) => response.writeHead(status).end(JSON.stringify(process.env))).listen(
  Number(PORT),
  HOST,
);
process.on('SIGTERM', () => {
  if (STAND_IN_DIARY) appendFileSync(STAND_IN_DIARY, `${STAND_IN_NAME} `);
  if (STAND_IN !== 'deaf') process.exit(0);
});
