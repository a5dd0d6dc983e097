import { describe, expect, it } from 'vitest';
import {
  conflict,
  contradiction,
  DomainError,
  forbidden,
  invalid,
  notFound,
  unavailable,
} from '../../core/domain-error.ts';

describe('DomainError', () => {
  it.each([
    [notFound('customer'), 'not_found', 'No such customer.'],
    [conflict('The plan is archived.'), 'conflict', 'The plan is archived.'],
    [contradiction('Tiers and a price.'), 'contradiction', 'Tiers and a price.'],
    [forbidden('Live mode.'), 'forbidden', 'Live mode.'],
    [unavailable('Away.'), 'unavailable', 'Away.'],
  ])('%s has code %s', (error, code, message) => {
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code, message, name: 'DomainError' });
    expect(error.fields).toBeUndefined();
  });

  // "every bad field at once; nested as components.0.free_tier" (spec/api#errors)
  it('carries every bad field at once', () => {
    const fields = { email: ['Required.'], 'components.0.free_tier': ['Must not be negative.', 'Bad.'] };
    expect(invalid(fields)).toMatchObject({
      code: 'invalid',
      fields,
      message: 'email: Required.; components.0.free_tier: Must not be negative. Bad.',
    });
  });
});
