import type { FieldMessages } from '../core/domain-error.ts';
import { hasPrivateHost } from '../outbound/public-address.ts';
import type { Circumstances } from './operation.ts';

/** What is wrong with a URL whose host is a private address; names are checked when they are sent to. */
export function privateUrlErrors(
  { webhook_url: sent }: Record<string, unknown>,
  { webhookAllowPrivate }: Pick<Circumstances, 'webhookAllowPrivate'>,
): FieldMessages {
  const url = typeof sent === 'string' ? URL.parse(sent) : null;
  if (webhookAllowPrivate || !url || !hasPrivateHost(url)) return {};
  return { webhook_url: ['Must not be a private, loopback, link-local, shared or unspecified address.'] };
}
