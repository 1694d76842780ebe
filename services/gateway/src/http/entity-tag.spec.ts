import { describe, expect, it } from '@jest/globals';
import { matchesEntityTag } from './entity-tag.js';

describe('matchesEntityTag', () => {
  it.each(['"a"', 'W/"a"', '"b", "a"', '*'])('If-None-Match: %p matches the entity tag "a"', (header) =>
    expect(matchesEntityTag(header, '"a"')).toBe(true),
  );
  it.each(['', '"b"', 'a', '"a'])('If-None-Match: %p does not match the entity tag "a"', (header) =>
    expect(matchesEntityTag(header, '"a"')).toBe(false),
  );
});
