import type { Action } from '../../actions/action.ts';
import type { RecordOf } from '../../api/client.ts';

export const NEW_KEY: Action = {
  name: 'New API key',
  call: { method: 'post', to: '/api/api-keys' },
  fields: [
    { name: 'name', isRequired: true },
    {
      name: 'scopes',
      kind: 'choices',
      options: ['events:write', 'read', 'write', 'admin'].map((scope) => ({ value: scope, label: scope })),
      help: 'All of them, where it is empty.',
    },
    { name: 'expires_at', kind: 'instant', help: 'In UTC; never, where it is empty.' },
  ],
};

/** What can be done with a key, and which field of the answer is shown once. */
export function keyActions(key: RecordOf<'/api/api-keys'>): { action: Action; secret?: string }[] {
  const path = { key_id: key.key_id };
  const subject = `${key.name} (${key.prefix}…)`;
  return [
    {
      action: {
        name: 'Rotate',
        subject,
        about: 'Makes a new key in its place; the one before works until the overlap is over.',
        call: { method: 'post', to: '/api/api-keys/{key_id}/rotate', path },
        fields: [{ name: 'overlap_seconds', kind: 'number' }],
      },
      secret: 'key',
    },
    {
      action: {
        name: 'Revoke',
        subject,
        about: 'It stops working at once, and so do the sessions that began with it.',
        call: { method: 'post', to: '/api/api-keys/{key_id}/revoke', path },
        fields: [{ name: 'force', kind: 'yes_no', help: 'Also where no other live key has the scope admin.' }],
        isFinal: true,
      },
    },
  ];
}
