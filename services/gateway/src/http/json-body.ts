import { Problem } from '@pinkas/service-kit';

/** Objects and arrays within each other; a document needs three. */
const depthMax = 32;

/** `application/json`, in UTF-8 where a character set is named. */
const jsonType = /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*("utf-8"|utf-8)[ \t]*)?;?$/i;

/**
 * The JSON object of a body.
 * @throws Problem `invalid_json` where the body is none: another content type, not UTF-8, not JSON, not an object, a
 * member that stands twice (whose value would depend on the reader), or deeper than any document is.
 */
export function readJsonObject(bytes: Buffer, contentType: string): object {
  if (!jsonType.test(contentType.trim())) throw new Problem('invalid_json');
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    // The error is not kept as a cause: its message quotes the body.
    throw new Problem('invalid_json');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Problem('invalid_json');
  if (!isPlain(text)) throw new Problem('invalid_json');
  return value;
}

/** Whether a text that is known to be JSON has no member twice and is not too deep. */
function isPlain(text: string): boolean {
  /** For each open object the names seen in it; null for an array. */
  const open: (Set<string> | null)[] = [];
  for (const match of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g)) {
    const token = match[0];
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null);
      if (open.length > depthMax) return false;
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (match[1] !== undefined) {
      const names = open.at(-1);
      const name = JSON.parse(token.slice(0, token.length - match[1].length)) as string;
      if (!names || names.has(name)) return false;
      names.add(name);
    }
  }
  return true;
}
