export type SearchType = 'customer' | 'subscription' | 'invoice' | 'plan' | 'addon' | 'metric' | 'credit' | 'event';

/** A record that a search finds; `detail` says a little more than its title. `customerId` null: it is of no customer. */
export type SearchHit = { type: SearchType; id: string; title: string; detail: string; customerId: string | null };
