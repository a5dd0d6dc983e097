import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Action } from '../../actions/action.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import type { AnswerOf, RecordOf } from '../../api/client.ts';
import { recordQuery } from '../../api/queries.ts';
import { useMay } from '../../frame/scopes.ts';
import { useAddress } from '../../parts/address.ts';
import { AnchorLink } from '../../parts/anchor-link.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { None, Quantity } from '../../parts/numbers.tsx';
import { RecordPage } from '../../parts/record.tsx';
import { Region } from '../../parts/region.tsx';
import { Status } from '../../parts/status.tsx';
import { Instant } from '../../parts/times.tsx';
import { wordsOf } from '../../parts/words.ts';
import { Chain } from './chain.tsx';
import { keyActions, NEW_KEY } from './key-actions.ts';

type Account = AnswerOf<'/api/account'>;

/** The account and how it bills. */
export function SettingsPage() {
  const account = useQuery(recordQuery('/api/account'));
  const mayAdmin = useMay('admin');
  return (
    <RecordPage
      query={account}
      id="Settings"
      title={() => 'Settings'}
      actions={(one) => (
        <>
          {mayAdmin && (
            <>
              <AnchorLink to="/settings/api-keys" size="sm">
                API keys
              </AnchorLink>
              <AnchorLink to="/settings/payment-providers" size="sm">
                Payment providers
              </AnchorLink>
            </>
          )}
          <ActionButton action={editAccount(one)} needs="admin" />
        </>
      )}
    >
      {(one) => (
        <>
          <Region title="Account">
            <Facts of={detailsOf(one)} />
          </Region>
          <Chain />
        </>
      )}
    </RecordPage>
  );
}

function detailsOf(account: Account): [string, React.ReactNode][] {
  return [
    ['Name', account.name],
    ['Mode', wordsOf(account.mode)],
    ['Account ID', account.account_id],
    ['Default currency', account.default_currency],
    ['Net terms days', <Quantity key="terms" value={account.net_terms_days} />],
    ['Invoice grace seconds', <Quantity key="grace" value={account.invoice_grace_seconds} />],
    ['Rate limit', account.rate_limit === null ? <None /> : <Quantity key="limit" value={account.rate_limit} />],
    ['Payment retry days', account.payment_retry_days.join(', ') || <None />],
    ['Late usage', wordsOf(account.late_usage)],
  ];
}

function editAccount(account: Account): Action {
  return {
    name: 'Edit',
    call: { method: 'patch', to: '/api/account' },
    fields: [
      { name: 'name', initial: account.name },
      { name: 'default_currency', initial: account.default_currency },
      { name: 'net_terms_days', kind: 'number', initial: String(account.net_terms_days) },
      { name: 'invoice_grace_seconds', kind: 'number', initial: String(account.invoice_grace_seconds) },
      { name: 'rate_limit', kind: 'number', initial: String(account.rate_limit ?? '') },
      { name: 'payment_retry_days', kind: 'numbers', initial: account.payment_retry_days.join(', ') },
      {
        name: 'late_usage',
        kind: 'choice',
        options: ['next_invoice', 'ignore'],
        isRequired: true,
        initial: account.late_usage,
      },
    ],
  };
}

type Key = RecordOf<'/api/api-keys'>;

const KEYS: Column<Key>[] = [
  { header: 'Name', cell: ({ name }) => name },
  { header: 'Key', cell: ({ prefix }) => `${prefix}…` },
  { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  { header: 'Created', cell: ({ created_at }) => <Instant at={created_at} /> },
  { header: 'Expires', cell: ({ expires_at }) => <Instant at={expires_at} /> },
  { header: 'Last used', cell: ({ last_used_at }) => <Instant at={last_used_at} /> },
  {
    header: 'Actions',
    cell: (key) =>
      keyActions(key).map(({ action, secret }) => (
        <ActionButton key={action.name} action={action} secret={secret} needs="admin" size="compact-xs" mr={4} />
      )),
  },
];

export function ApiKeysPage() {
  return (
    <ListPage
      title="API keys"
      path="/api/api-keys"
      things="API keys"
      columns={KEYS}
      rowKey={({ key_id }) => key_id}
      actions={<ActionButton action={NEW_KEY} secret="key" needs="admin" />}
    />
  );
}

type Provider = RecordOf<'/api/payment-providers'>;

const PROVIDERS: Column<Provider>[] = [
  { header: 'Provider', cell: ({ provider }) => wordsOf(provider) },
  { header: 'Status', cell: ({ connected }) => <Status of={connected ? 'connected' : 'not_connected'} /> },
  { header: 'Account ID', cell: ({ account_id }) => account_id ?? <None /> },
  { header: 'Connected', cell: ({ connected_at }) => <Instant at={connected_at} /> },
  { header: 'Actions', cell: (provider) => <ProviderAction of={provider} /> },
];

function ProviderAction({ of: { provider, connected } }: { of: Provider }) {
  const path = { provider };
  const subject = wordsOf(provider);
  const { origin, pathname } = window.location;
  const connect: Action = {
    name: 'Connect',
    subject,
    about: 'Leads to the provider, and back here.',
    call: { method: 'post', to: '/api/payment-providers/{provider}/connect', path },
    fixed: { redirect_url: origin + pathname },
  };
  const disconnect: Action = {
    name: 'Disconnect',
    subject,
    call: { method: 'post', to: '/api/payment-providers/{provider}/disconnect', path },
    isFinal: true,
  };
  return (
    <ActionButton
      action={connected ? disconnect : connect}
      needs="admin"
      size="compact-xs"
      onDone={(answer) => {
        if (!connected) window.location.assign((answer as { authorization_url: string }).authorization_url);
      }}
    />
  );
}

export function PaymentProvidersPage() {
  return (
    <>
      <ConnectionNotice />
      <ListPage
        title="Payment providers"
        path="/api/payment-providers"
        things="payment providers"
        columns={PROVIDERS}
        rowKey={({ provider }) => provider}
      />
    </>
  );
}

/** What came of a connection, which the provider's own pages have led back from. */
function ConnectionNotice() {
  const [{ connected, error }, change] = useAddress();
  if (!connected && !error) return null;
  return (
    <Alert
      role="status"
      mb="md"
      variant="default"
      title={connected ? 'The provider is connected' : 'The provider is not connected'}
      withCloseButton
      closeButtonLabel="Close"
      onClose={() => change({ connected: undefined, error: undefined })}
    >
      {!connected &&
        (error === 'processor_unavailable'
          ? 'It could not be reached. Try again in a while.'
          : 'It has not granted the connection.')}
    </Alert>
  );
}
