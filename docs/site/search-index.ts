import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS, type SearchEntry } from './client/search-options.ts';
import type { Field } from './fields.ts';
import type { Site } from './site.ts';
import { addressOf } from './tag-page.ts';

/** What the search looks through: pages and their sections, operations, fields. As MiniSearch keeps it. */
export function searchIndexText({ guide, operations }: Site): string {
  const seen = new Set<string>();
  // Operations on one thing answer with the same record: a field of it is found once on a page.
  const isNewOn = (page: string) => (field: Field) => {
    const key = JSON.stringify([page, nameOf(field), field.description]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  const index = new MiniSearch<SearchEntry>(SEARCH_OPTIONS);
  const sections = guide.flatMap(({ name, title, sections: own }) =>
    own.map((section) => ({
      id: section.id ? `/docs/${name}#${section.id}` : `/docs/${name}`,
      title: section.title,
      where: section.id ? title : 'Guide',
      text: section.text,
    })),
  );
  const called = operations.map((one) => ({
    id: addressOf(one),
    title: one.summary,
    where: one.isWebhook ? 'Webhook event' : `${one.method.toUpperCase()} ${one.path}`,
    text: `${one.operationId} ${one.description}`,
  }));
  const fields = operations.flatMap((one) => {
    const [page = ''] = addressOf(one).split('#');
    const own = withInner([...one.parts.flatMap((part) => part.fields), ...one.answer.fields]);
    return own.filter(isNewOn(page)).map((field) => ({
      id: `${page}#${field.id}`,
      title: nameOf(field),
      where: `${field.id.includes('.answer.') ? 'Answer' : 'Sent'} · ${one.summary}`,
      text: field.description,
    }));
  });
  index.addAll([...sections, ...called, ...fields]);
  return JSON.stringify(index);
}

function withInner(fields: Field[]): Field[] {
  return fields.flatMap((field) => [field, ...withInner(field.fields)]);
}

/** Its name with those that it stands under; records of a list stand in `results` everywhere. */
function nameOf({ under, name }: Field): string {
  return [...(under[0] === 'results' ? under.slice(1) : under), name].join('.');
}
