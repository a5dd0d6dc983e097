import { z } from 'zod';

/** How `npm start` looks after its processes. */
export const supervisionVariables = z.object({
  RESTART_UNHEALTHY_AFTER_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(30)
    .describe(
      'How long a process or engine may hang, or answer errors only, before `npm start` starts it again; 0: for ever.',
    ),
  LOG_FILE_MAX_MB: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(20)
    .describe('Size at which `npm start` rotates a log file below `DATA_DIR/logs`.'),
  LOG_FILES: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(3)
    .describe('Log files that `npm start` keeps of each process, the current one included.'),
});

export function supervisionSettings(e: z.output<typeof supervisionVariables>) {
  return {
    unhealthyMs: e.RESTART_UNHEALTHY_AFTER_SECONDS * 1000,
    logLimits: { fileBytes: e.LOG_FILE_MAX_MB * 2 ** 20, files: e.LOG_FILES },
  };
}
