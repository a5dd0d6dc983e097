import { arch, platform } from 'node:os';

/** A server that no npm package ships: which version we want, how it says so, and where it comes from. */
export type Binary = {
  name: 'nats-server' | 'temporal' | 'temporal-server' | 'temporal-sql-tool';
  version: string;
  /** The variable that names another copy, where there is one. */
  variable?: 'NATS_SERVER_BIN' | 'TEMPORAL_BIN';
  /** What a person would install. */
  advice: string;
  /** Reads `--version`; true where this copy will do. */
  accepts(versionText: string): boolean;
  wanted: string;
  goPackage: string;
  /** What `go install` calls it, where that is not its name. */
  builtAs?: string;
  archive: string;
  checksums: string;
  /** SHA-256 by archive file name, where pinned; else the vendor's own list next to the archive is used. */
  pinned: Record<string, string>;
};

const os = platform() === 'darwin' ? 'darwin' : 'linux';
const cpu = arch() === 'arm64' ? 'arm64' : 'amd64';

const NATS = 'https://github.com/nats-io/nats-server/releases/download/v2.15.2';
const TEMPORAL = 'https://github.com/temporalio/cli/releases/download/v1.5.1';
const TEMPORAL_SERVER = 'https://github.com/temporalio/temporal/releases/download/v1.29.1';

/** From 2.12 on the file store can fsync before each ack (architecture#the-edge-and-the-stream). */
export const natsServer: Binary = {
  name: 'nats-server',
  version: '2.15.2',
  variable: 'NATS_SERVER_BIN',
  advice: 'nats-server 2.12 or later (https://github.com/nats-io/nats-server/releases)',
  wanted: '2.12 or later',
  accepts: (text) => {
    const [, major, minor] = /v?(\d+)\.(\d+)\.\d+/.exec(text) ?? [];
    return Number(major) === 2 && Number(minor) >= 12;
  },
  goPackage: 'github.com/nats-io/nats-server/v2@v2.15.2',
  archive: `${NATS}/nats-server-v2.15.2-${os}-${cpu}.tar.gz`,
  checksums: `${NATS}/SHA256SUMS`,
  pinned: {},
};

/**
 * One server version on every route, so that a data directory fits whichever copy was found. A copy built by
 * `go install` calls itself 0.0.0-DEV, so the version of the server inside is what counts.
 */
export const temporal: Binary = {
  name: 'temporal',
  version: '1.5.1',
  variable: 'TEMPORAL_BIN',
  advice: 'the Temporal CLI 1.5.1 (https://github.com/temporalio/cli/releases/tag/v1.5.1)',
  wanted: 'server 1.29',
  accepts: (text) => /Server 1\.29\.\d+/.test(text),
  goPackage: 'github.com/temporalio/cli/cmd/temporal@v1.5.1',
  archive: `${TEMPORAL}/temporal_cli_1.5.1_${os}_${cpu}.tar.gz`,
  checksums: `${TEMPORAL}/checksums.txt`,
  pinned: {
    'temporal_cli_1.5.1_linux_amd64.tar.gz': 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
    'temporal_cli_1.5.1_linux_arm64.tar.gz': 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
    'temporal_cli_1.5.1_darwin_amd64.tar.gz': 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
    'temporal_cli_1.5.1_darwin_arm64.tar.gz': 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
  },
};

/** What the server for production and its tool for tables share: one release, of the version inside the CLI above. */
const ofTemporalServer = {
  version: '1.29.1',
  advice: 'Temporal server 1.29.1 (https://github.com/temporalio/temporal/releases/tag/v1.29.1)',
  wanted: '1.29',
  accepts: (text: string) => /version 1\.29\.\d+/.test(text),
  archive: `${TEMPORAL_SERVER}/temporal_1.29.1_${os}_${cpu}.tar.gz`,
  checksums: `${TEMPORAL_SERVER}/checksums.txt`,
  pinned: {},
};

/** Temporal as it runs in production, on Postgres: for the rehearsal alone (`rehearse/`). Building it takes four minutes. */
export const temporalServer: Binary = {
  ...ofTemporalServer,
  name: 'temporal-server',
  goPackage: 'go.temporal.io/server/cmd/server@v1.29.1',
  builtAs: 'server',
};

/** Makes and upgrades its tables. */
export const temporalSqlTool: Binary = {
  ...ofTemporalServer,
  name: 'temporal-sql-tool',
  goPackage: 'go.temporal.io/server/cmd/tools/sql@v1.29.1',
  builtAs: 'sql',
};
