/** Where the stack under test is: what `stack.json` says of it (contract 16). */
export type StackAddress = {
  base_url: string;
  api_key: string;
  account_id: string;
  temporal_ui_url: string;
  temporal_address: string;
  nats_url: string;
  clickhouse_url: string;
  postgres_url: string;
  pids: Record<string, number>;
};

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackAddress;
  }
}
