import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { decimal } from '../../core/decimal.ts';
import { DomainError } from '../../core/domain-error.ts';
import { renameSynonyms, validate } from '../../runtime/http/validate.ts';
import { metricCreate } from '../../wire/metrics.ts';
import { planCreate } from '../../wire/plans.ts';

const schema = z.strictObject({
  name: z.string().min(1),
  age: z.number(),
  parts: z.array(z.strictObject({ size: z.number() })).default([]),
  active: z.boolean().default(true),
});

function fieldsOf(call: () => unknown) {
  try {
    call();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid') return error.fields;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('validate', () => {
  test('gives the parsed value, with defaults', () => {
    expect(validate(schema, { name: 'a', age: 1 })).toEqual({ name: 'a', age: 1, parts: [], active: true });
  });

  test('a number is no object, and its methods are no fields', () => {
    const outer = z.strictObject({ part: z.strictObject({ size: z.number().optional() }) });
    expect(fieldsOf(() => validate(outer, { part: decimal('7.25') }))).toEqual({ part: ['Must be an object.'] });
    const { errors } = renameSynonyms({ part: decimal(7) }, { 'part.size': 'size' });
    expect(errors).toEqual({ part: ['Must be an object.'] });
  });

  test('names every bad field at once, nested ones by their path', () => {
    expect(
      fieldsOf(() => validate(schema, { name: '', parts: [{ size: 1 }, { size: 'x', hue: 1 }], other: 2 })),
    ).toEqual({
      name: ['This field may not be blank.'],
      age: ['Required.'],
      'parts.1.size': ['Must be a number.'],
      'parts.1.hue': ['Unknown field.'],
      other: ['Unknown field.'],
    });
  });

  test('one of several texts: what they are, or that it is missing', () => {
    const period = (body: object) => fieldsOf(() => validate(planCreate, { name: 'a', recurring_fee: '1', ...body }));
    expect(period({})).toEqual({ billing_period: ['Required.'] });
    const message = 'Must be one of monthly, quarterly, annual.';
    expect(period({ billing_period: 'weekly' })).toEqual({ billing_period: [message] });
    const metric = { metric_name: 'a', event_name: 'b' };
    expect(fieldsOf(() => validate(metricCreate, metric))).toEqual({ aggregation_type: ['Required.'] });
    expect(fieldsOf(() => validate(metricCreate, { ...metric, aggregation_type: 'mean' }))).toEqual({
      aggregation_type: ['Must be one of count, sum, max, unique.'],
    });
  });

  test('null and a wrong type are told apart', () => {
    expect(fieldsOf(() => validate(schema, { name: null, age: 'x' }))).toEqual({
      name: ['This field may not be null.'],
      age: ['Must be a number.'],
    });
  });

  test('a field called __proto__ is an unknown field like others', () => {
    expect(
      fieldsOf(() => validate(schema, JSON.parse('{"name": "a", "age": 1, "__proto__": 1, "constructor": 2}'))),
    ).toEqual(expect.objectContaining({ constructor: ['Unknown field.'] }));
  });

  test('names at most 100 fields, and 256 characters of a name that nobody knows', () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`field${i}`, i]));
    expect(Object.keys(fieldsOf(() => validate(schema, { name: 'a', age: 1, ...many })) ?? {})).toHaveLength(100);
    const parts = Array.from({ length: 50_000 }, () => ({ size: 'x' }));
    expect(Object.keys(fieldsOf(() => validate(schema, { name: 'a', age: 1, parts })) ?? {})).toHaveLength(100);
    const long = { name: 'a', age: 1, parts: [{ size: 1, ['k'.repeat(5_000)]: 1 }] };
    expect(fieldsOf(() => validate(schema, long))).toEqual({ [`parts.0.${'k'.repeat(256)}`]: ['Unknown field.'] });
  });

  test('errors known before are named along', () => {
    expect(fieldsOf(() => validate(schema, { name: 'a' }, { title: ['Twice.'] }))).toEqual({
      age: ['Required.'],
      title: ['Twice.'],
    });
    expect(fieldsOf(() => validate(schema, { name: 'a', age: 1 }, { title: ['Twice.'] }))).toEqual({
      title: ['Twice.'],
    });
  });
});

describe('synonyms', () => {
  test('move to their canonical name', () => {
    expect(renameSynonyms({ title: 'a', age: 1 }, { title: 'name' })).toEqual({
      renamed: { name: 'a', age: 1 },
      errors: {},
    });
  });

  test('both names at once are an error of the synonym, also two synonyms', () => {
    expect(renameSynonyms({ title: 'a', name: 'b' }, { title: 'name' }).errors).toEqual({
      title: ['Is the same field as name; send one.'],
    });
    expect(Object.keys(renameSynonyms({ x: 1, y: 2 }, { x: 'name', y: 'name' }).errors)).toEqual(['y']);
  });

  test('one inside an object moves out of it, and nothing else may be in there', () => {
    const synonyms = { 'filter.event': 'event_name' };
    expect(renameSynonyms({ filter: { event: 'a' } }, synonyms)).toEqual({ renamed: { event_name: 'a' }, errors: {} });
    expect(renameSynonyms({ filter: {} }, synonyms)).toEqual({ renamed: {}, errors: {} });
    expect(renameSynonyms({ filter: { event: 'a', x: 1 } }, synonyms).errors).toEqual({
      'filter.x': ['Unknown field.'],
    });
    expect(renameSynonyms({ filter: 'a' }, synonyms).errors).toEqual({ filter: ['Must be an object.'] });
    expect(Object.keys(renameSynonyms({ filter: { event: 'a' }, event_name: 'b' }, synonyms).errors)).toEqual([
      'filter.event',
    ]);
  });
});
