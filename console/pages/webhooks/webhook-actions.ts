import type { Action } from '../../actions/action.ts';
import type { AnswerOf } from '../../api/client.ts';
import { EVENT_TYPES } from '../../generated/event-types.ts';

export type Endpoint = AnswerOf<'/api/webhooks/{webhook_endpoint_id}'>;

export const NEW_ENDPOINT: Action = {
  name: 'New endpoint',
  call: { method: 'post', to: '/api/webhooks' },
  fields: [
    { name: 'webhook_url', isRequired: true },
    { name: 'name' },
    { name: 'triggers_in', kind: 'choices', options: EVENT_TYPES, help: 'All of them, where it is empty.' },
  ],
};

function callOf({ webhook_endpoint_id }: Endpoint) {
  return { to: '/api/webhooks/{webhook_endpoint_id}', path: { webhook_endpoint_id } } as const;
}

export function editEndpoint(endpoint: Endpoint): Action {
  const { name, webhook_url, triggers_in, status } = endpoint;
  return {
    name: 'Edit',
    call: { method: 'patch', ...callOf(endpoint) },
    fields: [
      { name: 'webhook_url', initial: webhook_url },
      { name: 'name', initial: name ?? '' },
      { name: 'triggers_in', kind: 'choices', options: EVENT_TYPES, initial: triggers_in.join(',') },
      { name: 'status', kind: 'choice', options: ['active', 'disabled'], isRequired: true, initial: status },
    ],
  };
}

export function sendTest(endpoint: Endpoint): Action {
  return {
    name: 'Send test event',
    call: { method: 'post', ...callOf(endpoint), to: '/api/webhooks/{webhook_endpoint_id}/test' },
  };
}

export function rollSecret(endpoint: Endpoint): Action {
  return {
    name: 'Roll secret',
    about: 'Makes a new secret; the one before signs as well until the overlap is over.',
    call: { method: 'post', ...callOf(endpoint), to: '/api/webhooks/{webhook_endpoint_id}/roll-secret' },
    fields: [{ name: 'overlap_seconds', kind: 'number' }],
    isFinal: true,
  };
}

export function deleteEndpoint(endpoint: Endpoint): Action {
  return { name: 'Delete endpoint', call: { method: 'delete', ...callOf(endpoint) }, isFinal: true };
}

export function redeliver(webhook_endpoint_id: string, delivery_id: string): Action {
  return {
    name: 'Redeliver',
    about: 'Sends the same event once more.',
    call: {
      method: 'post',
      to: '/api/webhooks/{webhook_endpoint_id}/deliveries/{delivery_id}/redeliver',
      path: { webhook_endpoint_id, delivery_id },
    },
  };
}
