import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';

/** `api/openapi.json` by the rules that the linters of the field recommend. */
const source = await readFile(new URL('../../api/openapi.json', import.meta.url), 'utf8');

/** It sends the browser on, and has no other success. */
const ONLY_REDIRECTS = '#/paths/~1api~1payment-providers~1{provider}~1callback/get/responses';

/** What `preview=true` answers: among the answers of an operation, a client's types would take it for one of a call that is done. */
const PREVIEW = 'components/schemas/ChangePreview';

test('Redocly finds nothing', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, config });
  const found = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`);
  expect(found).toEqual([`operation-2xx-response ${ONLY_REDIRECTS}`, `no-unused-components #/${PREVIEW}`]);
});

test('Spectral finds nothing else', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] });
  const problems = await linter.run(JSON.parse(source));
  expect(problems.map(({ code, path }) => `${code} ${path.join('/')}`)).toEqual([`oas3-unused-component ${PREVIEW}`]);
});
