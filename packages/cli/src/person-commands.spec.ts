import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSignInLink, invitePerson, listPeople, type Member, removePerson } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import type { Call, CommandInput, Output } from './command.js';
import { personCommands } from './person-commands.js';
import { exitCodeOf } from './usage-error.js';

const id = randomUUID();
const email = 'owner@example.com';
const member: Member = {
  person_id: randomUUID(),
  business_id: id,
  email,
  role: 'owner',
  invited_at: '2026-06-15T09:00:00.000Z',
  undelivered_at: null,
  joined_at: null,
};

/** Runs a command; `answer` replaces the system, which must not be called unless it is given. */
function run(
  verb: string,
  args: CommandInput['arguments'],
  options: CommandInput['options'],
  answer: (subject: string, request: unknown) => unknown = () => {
    throw new Error('the system was called');
  },
): Promise<Output> {
  const command = personCommands.find((candidate) => candidate.verb === verb);
  if (!command) {
    throw new Error(`no command ${verb}`);
  }
  const call = (async (contract, request) => answer(contract.subject, request)) as Call;
  return command.run({ arguments: args, options }, call, { show: () => {}, print: () => {} });
}
const nothing = () => {
  throw new ApiError('not_found');
};

describe('pinkas person', () => {
  it('person invite sends the address as it was given, and prints how it was stored', async () => {
    const requests: unknown[] = [];
    const { json, text } = await run(
      'invite',
      { EMAIL: 'Owner@Example.com' },
      { business: id, role: 'owner' },
      (subject, request) => {
        requests.push([subject, request]);
        return member;
      },
    );
    expect(requests).toEqual([
      [invitePerson.subject, { business_id: id, email: 'Owner@Example.com', role: 'owner' }],
    ]);
    expect(json).toEqual(member);
    expect(text).toContain(`${email} is owner of ${id}`);
  });

  it('person list prints the members, and what to do where there is none', async () => {
    const answer = (people: Member[]) => (subject: string, request: unknown) => {
      expect([subject, request]).toEqual([listPeople.subject, { business_id: id }]);
      return { people };
    };
    const listed = await run('list', {}, { business: id }, answer([member]));
    expect(listed.json).toEqual([member]);
    expect(listed.text).toContain(email);
    const empty = await run('list', {}, { business: id }, answer([]));
    expect(empty.text).toContain(`pinkas person invite EMAIL --business ${id}`);
  });

  it('person remove prints who was removed', async () => {
    const { text } = await run('remove', { EMAIL: email }, { business: id }, (subject, request) => {
      expect([subject, request]).toEqual([removePerson.subject, { business_id: id, email }]);
      return member;
    });
    expect(text).toBe(`Removed ${email} (owner) from ${id}`);
  });

  it('person link prints the link and how long it works', async () => {
    const link = {
      url: 'https://console.example.com/sign-in/link/x',
      expires_at: '2026-06-15T09:15:00.000Z',
    };
    const { json, text } = await run('link', { EMAIL: email }, {}, (subject, request) => {
      expect([subject, request]).toEqual([createSignInLink.subject, { email }]);
      return link;
    });
    expect(json).toEqual(link);
    expect(text.split('\n')[0]).toBe(link.url);
  });

  it.each([
    ['invite', { EMAIL: 'owner' }, { business: id, role: 'owner' }, '"owner" is not an email address'],
    ['invite', { EMAIL: email }, { business: 'x', role: 'owner' }, '"x" is not an id'],
    [
      'invite',
      { EMAIL: email },
      { business: id, role: 'boss' },
      '--role takes owner, issuer, bookkeeper, not "boss"',
    ],
    ['list', {}, { business: 'x' }, '"x" is not an id'],
    ['remove', { EMAIL: '' }, { business: id }, '"" is not an email address'],
    ['link', { EMAIL: 'a b' }, {}, '"a b" is not an email address'],
  ])(
    'person %s with %p and %p exits with 2 before it calls a service',
    async (verb, args, options, message) => {
      const error = await run(
        verb,
        args as CommandInput['arguments'],
        options as CommandInput['options'],
      ).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      expect(error?.message).toContain(message);
      expect(exitCodeOf(error)).toBe(2);
    },
  );

  it.each([
    ['invite', { EMAIL: email }, { business: id, role: 'owner' }, `No business has the id ${id}`],
    ['remove', { EMAIL: email }, { business: id }, `${email} may not use ${id}`],
    ['link', { EMAIL: email }, {}, `No person has the address ${email}`],
  ])('person %s says what does not exist, and exits with 1', async (verb, args, options, message) => {
    const error = await run(verb, args, options as CommandInput['options'], nothing).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toContain(message);
    expect(exitCodeOf(error)).toBe(1);
  });
});
