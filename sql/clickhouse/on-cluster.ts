/**
 * Migrations of ClickHouse are written for one server. Run on a cluster (one shard, several replicas) the same text
 * makes each table replicated on all of its servers. Pure text; test/sql/on-cluster.test.ts shows what becomes of it.
 */

/** Where a table's replicas find each other in ClickHouse Keeper: the servers' macros `shard` and `replica` complete it. */
const REPLICA = `'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'`;

/**
 * Tokens of inserts must be remembered by number, as on one server, not for the hour that is the default: a writer that was
 * stopped may wake up at any time. A replica counts towards the quorum of an insert by fetching its part: so that is synced too.
 */
const REPLICATED_SETTINGS = [
  'replicated_deduplication_window_seconds = 31536000',
  'min_compressed_bytes_to_fsync_after_fetch = 1',
].join(', ');

const COMMENT = /^[ \t]*--.*\n?/gm;
const DEFINES = /^\s*(CREATE|ALTER|DROP|RENAME|TRUNCATE|EXCHANGE)\b/i;
const NAMED =
  /^(\s*(?:(?:CREATE|DROP)\s+(?:DATABASE|TABLE|MATERIALIZED\s+VIEW|VIEW)(?:\s+IF\s+(?:NOT\s+)?EXISTS)?|ALTER\s+TABLE)\s+[\w.]+)/i;
/** A table gets another name, or two change theirs. */
const MOVES = /^\s*(?:RENAME\s+TABLE\s+\w+\s+TO|EXCHANGE\s+TABLES\s+\w+\s+AND)\s+\w+\s*$/i;
const ENGINE = /\bENGINE\s*=\s*(?!Replicated)(\w*)MergeTree\b(?:\s*\(([^)]*)\))?/gi;
const WINDOW = /\bnon_replicated_deduplication_window\s*=\s*(\d+)/gi;

/**
 * A statement of a migration as it is run on `cluster` (a name, or a macro such as `{cluster}`). What moves data is not
 * changed: its rows are replicated. Throws for a definition that it does not know how to bring to all servers.
 */
export function onCluster(statement: string, cluster: string): string {
  const text = statement.replace(COMMENT, '');
  if (!DEFINES.test(text)) return text;
  if (MOVES.test(text)) return `${text.trim()} ON CLUSTER '${cluster}'`;
  if (!NAMED.test(text)) throw new Error(`Not known how to run this on a cluster: ${text.trim().slice(0, 80)}`);
  return text
    .replace(NAMED, (named) => `${named} ON CLUSTER '${cluster}'`)
    .replace(ENGINE, (_, kind: string, rest?: string) => {
      return `ENGINE = Replicated${kind}MergeTree(${REPLICA}${rest?.trim() ? `, ${rest.trim()}` : ''})`;
    })
    .replace(WINDOW, (_, blocks: string) => `replicated_deduplication_window = ${blocks}, ${REPLICATED_SETTINGS}`);
}
