import { promises as dns } from 'node:dns';

/** Loaded before a process of the stack (`--import`): whatever it asks a name server, it asks the test's. */
const server = String(process.env.TEST_NAME_SERVER);

dns.Resolver = class extends dns.Resolver {
  constructor(options?: ConstructorParameters<typeof dns.Resolver>[0]) {
    super(options);
    this.setServers([server]);
  }
};
