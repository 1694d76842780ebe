import type { Fault } from '@pinkas/contracts';

/** The pointer of a member below another pointer (RFC 6901). */
export const pointer = (path: string, member: string): string =>
  `${path}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/**
 * The strings of a JSON value, at any depth, that cannot be stored: PostgreSQL takes no NUL, and half of a surrogate pair
 * is no character in UTF-8.
 */
export function malformedTexts(value: unknown, path = ''): Fault[] {
  if (typeof value === 'string') {
    return /\0|\p{Surrogate}/u.test(value)
      ? [{ path, message: 'must not contain NUL or half of a surrogate pair' }]
      : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, one]) => malformedTexts(one, pointer(path, member)));
}
