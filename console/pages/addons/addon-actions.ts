import type { Action } from '../../actions/action.ts';
import type { AnswerOf } from '../../api/client.ts';

export type Addon = AnswerOf<'/api/addons/{addon_id}'>;

export const NEW_ADDON: Action = {
  name: 'New add-on',
  call: { method: 'post', to: '/api/addons' },
  fields: [
    { name: 'name', isRequired: true },
    { name: 'kind', kind: 'choice', options: ['one_time', 'recurring', 'quantity'], isRequired: true },
    { name: 'price', kind: 'number', isRequired: true },
    { name: 'currency', help: "The account's own, where it is empty." },
  ],
};

export function addonActions({ addon_id, name, price, status }: Addon): Action[] {
  if (status !== 'active') return [];
  const path = { addon_id };
  return [
    {
      name: 'Edit',
      call: { method: 'patch', to: '/api/addons/{addon_id}', path },
      fields: [
        { name: 'name', initial: name },
        { name: 'price', kind: 'number', initial: String(price) },
      ],
    },
    {
      name: 'Archive add-on',
      about: 'It can no longer be attached; subscriptions that have it keep it.',
      call: { method: 'post', to: '/api/addons/{addon_id}/archive', path },
      isFinal: true,
    },
  ];
}
