import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { originFromText } from '../http/public-url.ts';

/** What a process reads its configuration from. */
export type Environment = Record<string, string | undefined>;

export const port = z.coerce.number().int().min(0).max(65_535);
export const url = z.string().min(1);
export const niceness = z.coerce.number().int().min(0).max(19);
/** An origin without a path. */
export const publicOrigin = z.string().transform((text, context) => {
  const origin = originFromText(text);
  if (origin !== undefined) return origin;
  context.addIssue({ code: 'custom', message: 'must be an origin without a path, as in https://billing.example' });
  return z.NEVER;
});
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** Stands in SQL text (`ON CLUSTER`): a plain name, or a macro of the servers such as `{cluster}`. */
export const clusterName = z
  .string()
  .regex(/^[\w.-]+$|^\{\w+\}$/, 'must be a name of letters, digits, _ . - or a {macro}');

/** What may call as the first account: random enough that nobody tries it out, and fit for a header. */
const LEAST_API_KEY = 32;
export const apiKey = z
  .string()
  .regex(
    new RegExp(`^[!-~]{${LEAST_API_KEY},}$`),
    `must have at least ${LEAST_API_KEY} characters, printable ASCII without spaces; make one with \`openssl rand -hex 32\`, ` +
      'or leave the variable away and one is made',
  );

/**
 * Parses the variables of `schema`. `<NAME>_FILE` names a file whose contents are the value of `<NAME>`: for secrets. Where the
 * schema itself has that variable, whoever reads it reads the file.
 */
export function readVariables<T extends z.ZodObject>(schema: T, environment: Environment, where = ''): z.output<T> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  for (const name of Object.keys(schema.shape)) {
    const file = present[`${name}_FILE`];
    if (file === undefined || Object.hasOwn(schema.shape, `${name}_FILE`)) continue;
    if (present[name] !== undefined)
      throw new Error(`Wrong environment variables: ${name} and ${name}_FILE are both set.`);
    present[name] = fileContents(`${name}_FILE`, file);
  }
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`Wrong environment variables${where && ` ${where}`}:\n  ${lines.join('\n  ')}`);
}

/** A file's text without the line break at its end, which editors and `echo` add. */
function fileContents(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`Wrong environment variables: ${variable}: ${error instanceof Error ? error.message : error}`);
  }
}
