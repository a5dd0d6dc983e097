/** What an API key may be used for; none implies another (spec/accounts#scopes). */
export const SCOPES = ['events:write', 'read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
