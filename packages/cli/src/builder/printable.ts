/** A text for a terminal. Names and notes are written by tenants: a control sequence in one would command the operator's terminal. */
export function printable(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, '\ufffd');
}
