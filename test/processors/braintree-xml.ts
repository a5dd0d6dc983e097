/** A value as Braintree's XML has it: null is `nil`, booleans and numbers name their type, a list is an array of `item`s. */
export type Node = string | number | boolean | null | Node[] | { [name: string]: Node };

/** An element that Braintree marks as a page of a collection: its children stand beside the page's numbers. */
export type Collection = { pageSize: number; totalItems: number; item: string; items: Node[] };

export function xml(name: string, value: Node): string {
  if (value === null) return `<${name} nil="true"/>`;
  if (typeof value === 'boolean') return `<${name} type="boolean">${value}</${name}>`;
  if (typeof value === 'number') return `<${name} type="integer">${value}</${name}>`;
  if (typeof value === 'string') return `<${name}>${escaped(value)}</${name}>`;
  if (Array.isArray(value)) {
    return `<${name} type="array">${value.map((item) => xml('item', item)).join('')}</${name}>`;
  }
  const children = Object.entries(value).map(([child, node]) => xml(child, node));
  return `<${name}>${children.join('')}</${name}>`;
}

export function collectionXml(name: string, { pageSize, totalItems, item, items }: Collection): string {
  const page = [xml('current-page-number', 1), xml('page-size', pageSize), xml('total-items', totalItems)];
  return `<${name} type="collection">${[...page, ...items.map((one) => xml(item, one))].join('')}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
