/** What of a customer's record is erased with it (spec/customers#deletion). */
export const PERSONAL_FIELDS = ['customer_name', 'email', 'billing_address', 'metadata'] as const;

/** What stands in the audit log in the place of what was erased. */
export const ERASED = '[erased]';

/** A customer's record without what is erased with it. */
export function erasedRecord<T extends object>(record: T): object {
  return { ...record, ...Object.fromEntries(PERSONAL_FIELDS.map((field) => [field, ERASED])) };
}
