/**
 * How a field is entered. An `instant` is entered in UTC; of `choices` there are any number; `texts` is a list of any, one a line, `numbers` one
 * with commas between; `pairs` are texts by name, each as `name=text`, and null where nothing follows.
 */
export type FieldKind =
  | 'text'
  | 'number'
  | 'numbers'
  | 'date'
  | 'instant'
  | 'yes_no'
  | 'choice'
  | 'choices'
  | 'texts'
  | 'pairs';

/** A field of a body by the API's name; a dotted one stands within another (`billing_address.city`). */
export type ValueField = {
  name: string;
  /** What it is called where that is not the API's name. */
  label?: string;
  kind?: FieldKind;
  options?: readonly (string | { value: string; label: string })[];
  isRequired?: boolean;
  /** Where it is empty, null is sent. */
  isNullable?: boolean;
  /** What stands there at first; of a change, what stands in the record. */
  initial?: string;
  help?: string;
  /** What it means that nothing stands there. */
  placeholder?: string;
};

/** A list of objects, of which rows are added and taken away, such as the tiers of a price. */
export type ListField = {
  name: string;
  kind: 'list';
  /** What one of them is called. */
  rowName: string;
  /** The fields of a row, named as in it; they may follow from what has been entered there. */
  row: (entered: (name: string) => string) => readonly Field[];
  /** How many of its fields stand side by side, where there is room. */
  columns?: number;
  /** It is sent as an object: its rows by what stands in this field of theirs. */
  keyedBy?: string;
};

export type Field = ValueField | ListField;

export function isList(field: Field): field is ListField {
  return field.kind === 'list';
}

export function isValue(field: Field): field is ValueField {
  return field.kind !== 'list';
}
