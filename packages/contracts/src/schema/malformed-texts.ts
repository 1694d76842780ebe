import { sentence } from './error-sentences.js';
import { memberPointer, type ValidationError } from './validate.js';

const malformed = sentence(
  'must not contain NUL or half of a surrogate pair',
  'אסור שיכיל NUL או חצי של זוג surrogate',
);

/**
 * The strings of a JSON value, at any depth, that cannot be stored: PostgreSQL takes no NUL, and half of a surrogate pair
 * is no character in UTF-8.
 */
export function malformedTexts(value: unknown, path = ''): ValidationError[] {
  if (typeof value === 'string') {
    return /\0|\p{Surrogate}/u.test(value) ? [{ path, ...malformed }] : [];
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([member, child]) =>
    malformedTexts(child, memberPointer(path, member)),
  );
}
