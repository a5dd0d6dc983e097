import type { Action } from '../../actions/action.ts';
import type { Field } from '../../actions/field.ts';
import type { AnswerOf } from '../../api/client.ts';
import type { Session } from '../../api/session.ts';

export type Customer = AnswerOf<'/api/customers/{customer_id}'>;

const ADDRESS = ['line1', 'city', 'state', 'postal_code', 'country'] as const;

function customerFields(of?: Customer): Field[] {
  const address = ADDRESS.map((part) => ({
    name: `billing_address.${part}`,
    initial: of?.billing_address?.[part] ?? '',
  }));
  return [
    { name: 'customer_name', initial: of?.customer_name },
    { name: 'email', initial: of?.email, isRequired: true },
    { name: 'default_currency_code', initial: of?.default_currency.code },
    { name: 'timezone', initial: of?.timezone, help: 'Such as Europe/Berlin. It applies from the next period.' },
    { name: 'tax_rate', kind: 'number', initial: of && String(of.tax_rate), help: 'In percent, such as 20.' },
    ...address,
    {
      name: 'billed_to',
      initial: of?.billed_to ?? undefined,
      help: 'Who pays for it, on one invoice with what else falls due. The customer itself, where it is empty.',
    },
  ];
}

/** Live accounts have no test clocks. */
export function newCustomer({ mode }: Session['account']): Action {
  const clock = { name: 'test_clock_id', help: 'Only to try something out: the clock that the customer lives by.' };
  return {
    name: 'New customer',
    call: { method: 'post', to: '/api/customers' },
    fields: [
      { name: 'customer_id', isRequired: true, help: 'Your own id of the customer.' },
      ...customerFields(),
      ...(mode === 'test' ? [clock] : []),
    ],
  };
}

export function editCustomer(customer: Customer): Action {
  return {
    name: 'Edit',
    call: {
      method: 'patch',
      to: '/api/customers/{customer_id}',
      path: { customer_id: customer.customer_id },
    },
    fields: customerFields(customer),
  };
}

export function deleteCustomer(customer: Customer): Action {
  return {
    name: 'Delete customer',
    about:
      'Its subscriptions end at once and without an invoice; who it is and its usage are erased. Its invoices stay.',
    call: { method: 'post', to: '/api/customers/{customer_id}/delete', path: { customer_id: customer.customer_id } },
    isFinal: true,
  };
}

const CREDIT_REASONS = ['service_credit', 'promotional_credit', 'goodwill_credit'];

export function newCredit(customerId: string): Action {
  return {
    name: 'New credit',
    call: { method: 'post', to: '/api/credits' },
    fixed: { customer_id: customerId },
    fields: [
      { name: 'amount', kind: 'number', isRequired: true },
      { name: 'reason', kind: 'choice', options: CREDIT_REASONS },
      { name: 'description' },
      { name: 'expires_at', kind: 'date' },
    ],
  };
}
