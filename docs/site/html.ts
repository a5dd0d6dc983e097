import { html } from 'hono/html';

/** HTML whose parts have been escaped. */
export type Html = ReturnType<typeof html>;

/** A description of the document: plain text, but for code between backticks. */
export function prose(text: string): Html[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
