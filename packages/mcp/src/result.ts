import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { PinkasConnectionError, PinkasError } from '@pinkas/client';

/** Longer texts of other people are cut: an agent needs a name, not a page of it. */
const textMax = 300;

const letters = new Intl.Segmenter();

/** A failure that the agent can act on. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** The result of a tool, as JSON and as its text: what other people typed stays within its quotation marks. */
export function result(value: object): CallToolResult {
  const text = textOf(value);
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  };
}

/** A failure has no structure: what a tool returns otherwise has a schema. */
const failed = (value: object): CallToolResult => ({
  content: [{ type: 'text', text: textOf(value) }],
  isError: true,
});

const textOf = (value: object): string => JSON.stringify(value, (_key, member) => cleaned(member));

/** A failure with what to do about it. @throws what is none of the API's and none of the agent's. */
export function failure(error: unknown): CallToolResult {
  if (error instanceof ToolError) {
    return failed({ error: error.message });
  }
  if (error instanceof PinkasError || error instanceof PinkasConnectionError) {
    const facts =
      error instanceof PinkasError
        ? {
            code: error.code,
            hint: error.hint ?? undefined,
            details: error.details,
            request_id: error.requestId ?? undefined,
          }
        : { code: error.reason };
    const next = error.outcomeUnknown
      ? 'It is not known whether this was done. Repeat the same call with the same arguments: nothing is done twice.'
      : undefined;
    return failed({ error: error.message, ...facts, what_to_do: next });
  }
  throw error;
}

/** A text without control characters, marks of direction and other characters that cannot be seen, and not too long. */
function cleaned(value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  const text = value.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  if (text.length <= textMax) {
    return text;
  }
  // Of a letter that is several characters no part is left.
  const next = letters.segment(text).containing(textMax);
  return `${text.slice(0, next?.index)}…`;
}
