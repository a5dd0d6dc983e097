import { z } from 'zod';
import { launcherSchema, processSchema } from '../runtime/config.ts';

/** `npm run cli -- configuration`: prints the page `operations/configuration.md`; a test holds the page to it. */
export async function run(): Promise<number> {
  console.log(configurationPage().trimEnd());
  return 0;
}

/** Every environment variable, its default and what it does, as Markdown, out of the schemas that read them. */
export function configurationPage(): string {
  return `# Configuration

Made by \`node cli/main.ts configuration > operations/configuration.md\` from \`runtime/config.ts\`; do not edit.

An empty variable counts as absent. Instead of \`NAME\`, \`NAME_FILE\` may name a file that holds the value: use it for whatever holds a
secret (the addresses do, where they hold a password). A process that finds a wrong variable says which and ends.

## The four processes

${table(processSchema)}

## \`npm start\` and the commands

\`npm start\` hands its environment on to the processes, so what stands above may be set there too; addresses are its own business.

${table(launcherSchema)}
`;
}

type Property = {
  type?: string;
  default?: unknown;
  description?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
};

function table(schema: z.ZodObject): string {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const rows = Object.entries(properties as Record<string, Property>).map(
    ([name, property]) =>
      `| \`${name}\` | ${defaultOf(property)} | ${property.description ?? ''}${rangeOf(property)} |`,
  );
  return ['| variable | default | what it does |', '|---|---|---|', ...rows].join('\n');
}

function defaultOf(property: Property): string {
  return property.default === undefined ? '' : `\`${property.default}\``;
}

function rangeOf({ enum: values, minimum, maximum }: Property): string {
  if (values) return ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
  if (minimum === undefined) return '';
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? ` From ${minimum}.`
    : ` ${minimum} to ${maximum}.`;
}
