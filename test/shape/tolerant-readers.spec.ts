import { describe, expect, it } from '@jest/globals';
import { compileTolerant, contracts, events } from '@pinkas/contracts';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { arbitraryOf } from '../properties/arbitrary-of.js';
import { seed } from '../properties/config.js';

const samples = 10;

const written: [string, TSchema][] = [
  ...contracts.flatMap(({ subject, request, reply, unknownMembers }): [string, TSchema][] => [
    // What a person has written is refused with its unknown members.
    ...(unknownMembers === 'dropped' ? [[`${subject}, request`, request] as [string, TSchema]] : []),
    [`${subject}, reply`, reply],
  ]),
  ...events.map(({ subject, body }): [string, TSchema] => [subject, body]),
];

/** As a release would write it that has given every object one more member. */
function newer(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(newer);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const members = Object.entries(value).map(([name, member]) => [name, newer(member)]);
  return { ...Object.fromEntries(members), member_of_a_newer_release: { deeply: [1] } };
}

/** What is returned as it is: the body of an outbox event, which its handler validates, and what an audit entry recorded. */
function whole(subject: string) {
  if (/outbox_event\.get\.v1, reply$/.test(subject)) {
    return { '/body': fc.constant('an event') };
  }
  return /audit_entry\.list(?:_latest)?\.v1, reply$/.test(subject)
    ? { '/entries/*/before': fc.constant(null), '/entries/*/after': fc.constant('recorded') }
    : {};
}

describe('what a newer release writes is read without what it has added', () => {
  it('the wire record contains messages', () => expect(written.length).toBeGreaterThan(80));

  it.each(written)('a reader of %s drops members that it does not know', (subject, schema) => {
    const read = compileTolerant(schema);
    for (const value of fc.sample(arbitraryOf(schema, whole(subject)), { seed, numRuns: samples })) {
      expect(read(value)).toEqual({ ok: true, value });
      expect(read(newer(value))).toEqual({ ok: true, value });
    }
  });
});
