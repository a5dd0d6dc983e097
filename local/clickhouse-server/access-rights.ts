import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What SQL may do here: read and keep tables of this directory. Everything else that the engine could do stays ungranted:
 * files and programs of this machine, other servers, dictionaries and functions, which lead to both.
 */
const GRANTS = [
  ['SELECT', 'SHOW', 'CHECK', 'INSERT', 'ALTER TABLE', 'ALTER VIEW', 'TRUNCATE', 'OPTIMIZE', 'KILL QUERY'],
  ['CREATE DATABASE', 'CREATE TABLE', 'CREATE VIEW', 'CREATE TEMPORARY TABLE'],
  ['DROP DATABASE', 'DROP TABLE', 'DROP VIEW', 'CLUSTER'],
].flat();

const TABLE_ENGINES = [
  ...['', 'Replacing', 'Aggregating', 'Summing'].flatMap((kind) => [`${kind}MergeTree`, `Replicated${kind}MergeTree`]),
  ...['Memory', 'Null'],
];

/** Writes the engine's configuration into `folder` and answers the arguments that make the engine read it. */
export function writeAccessRights(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [config, users] = [join(folder, 'config.xml'), join(folder, 'users.xml')];
  const queries = [
    `GRANT ${GRANTS.join(', ')} ON *.*`,
    ...TABLE_ENGINES.map((engine) => `GRANT TABLE ENGINE ON ${engine}`),
  ];
  writeFileSync(
    config,
    `<clickhouse>
  <users_config>${escaped(users)}</users_config>
  <access_control_improvements><table_engines_require_grant>true</table_engines_require_grant></access_control_improvements>
</clickhouse>
`,
  );
  writeFileSync(
    users,
    `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users><default>
    <password/>
    <networks><ip>::1</ip><ip>127.0.0.1</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
    <grants>${queries.map((query) => `<query>${query}</query>`).join('')}</grants>
  </default></users>
</clickhouse>
`,
  );
  return [`--config-file=${config}`];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
