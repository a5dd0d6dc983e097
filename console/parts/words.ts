/** A name of the API as people read it: `due_date` is "Due date", `invoice.past_due` is "Invoice past due". */
export function wordsOf(name: string): string {
  const words = name.replaceAll(/[_.]/g, ' ').replace(/\b(id|url)\b/, (short) => short.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
