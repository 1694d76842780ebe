import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSignInLink, invitePerson, listPeople, type Member, removePerson } from '@pinkas/contracts';
import { notFound, type Run, run } from '../../test/run.js';
import { exitCodeOf } from '../builder/usage-error.js';

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

const failureOf = ({ output }: Run): Promise<Error | undefined> =>
  output.then(
    () => undefined,
    (thrown: Error) => thrown,
  );

describe('pinkas person', () => {
  it('person invite sends the address as it was given, and prints how it was stored', async () => {
    const words = { EMAIL: 'Owner@Example.com', business: id, role: 'owner' };
    const { output, requests } = run('person invite', words, () => member);
    const { json, text } = await output;
    expect(requests).toEqual([
      [invitePerson.subject, { business_id: id, email: 'Owner@Example.com', role: 'owner' }],
    ]);
    expect(json).toEqual(member);
    expect(text).toContain(`${email} is owner of ${id}`);
  });

  it('person list prints the members, and what to do where there is none', async () => {
    const list = (people: Member[]) => run('person list', { business: id }, () => ({ people }));
    const { output, requests } = list([member]);
    const listed = await output;
    expect(requests).toEqual([[listPeople.subject, { business_id: id }]]);
    expect(listed.json).toEqual([member]);
    expect(listed.text).toContain(email);
    const empty = await list([]).output;
    expect(empty.text).toContain(`pinkas person invite EMAIL --business ${id}`);
  });

  it('person remove prints who was removed', async () => {
    const { output, requests } = run('person remove', { EMAIL: email, business: id }, () => member);
    const { text } = await output;
    expect(requests).toEqual([[removePerson.subject, { business_id: id, email }]]);
    expect(text).toBe(`Removed ${email} (owner) from ${id}`);
  });

  it('person link prints the link and how long it works', async () => {
    const link = {
      url: 'https://console.example.com/sign-in/link/x',
      expires_at: '2026-06-15T09:15:00.000Z',
    };
    const { output, requests } = run('person link', { EMAIL: email }, () => link);
    const { json, text } = await output;
    expect(requests).toEqual([[createSignInLink.subject, { email }]]);
    expect(json).toEqual(link);
    expect(text.split('\n')[0]).toBe(link.url);
  });

  it.each([
    ['invite', { EMAIL: 'owner', business: id, role: 'owner' }, '"owner" is not an email address'],
    ['invite', { EMAIL: email, business: 'x', role: 'owner' }, '"x" is not an id'],
    [
      'invite',
      { EMAIL: email, business: id, role: 'boss' },
      '--role takes owner, issuer, bookkeeper, not "boss"',
    ],
    ['list', { business: 'x' }, '"x" is not an id'],
    ['remove', { EMAIL: '', business: id }, '"" is not an email address'],
    ['link', { EMAIL: 'a b' }, '"a b" is not an email address'],
  ])('person %s with %p exits with 2 before it calls a service', async (verb, words, message) => {
    const error = await failureOf(run(`person ${verb}`, words as Record<string, string>));
    expect(error?.message).toContain(message);
    expect(exitCodeOf(error)).toBe(2);
  });

  it.each([
    ['invite', { EMAIL: email, business: id, role: 'owner' }, `No business has the id ${id}`],
    ['remove', { EMAIL: email, business: id }, `${email} may not use ${id}`],
    ['link', { EMAIL: email }, `No person has the address ${email}`],
  ])('person %s says what does not exist, and exits with 1', async (verb, words, message) => {
    const error = await failureOf(run(`person ${verb}`, words, notFound));
    expect(error?.message).toContain(message);
    expect(exitCodeOf(error)).toBe(1);
  });
});
