import type { NativeConnection } from '@temporalio/worker';
import { ACCOUNT_ID, CUSTOMER_ID, PERIOD_END, PLAN_ID, SUBSCRIPTION_STATUS } from './definitions/search-attributes.ts';

/** Temporal's numbers for the types we use (`IndexedValueType`). */
const TYPE_NUMBER = { KEYWORD: 2, DATETIME: 6 };

const KEYS = [ACCOUNT_ID, CUSTOMER_ID, PLAN_ID, SUBSCRIPTION_STATUS, PERIOD_END];

/** Makes our search attributes known to the namespace; those it knows already stay as they are. */
export async function registerSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const known = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = KEYS.filter(({ name }) => !Object.hasOwn(known.customAttributes ?? {}, name));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map(({ name, type }) => [name, TYPE_NUMBER[type]]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
