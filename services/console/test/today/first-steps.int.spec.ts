import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Business, type IssuedDocument, listDocuments, listKeys } from '@pinkas/contracts';
import { isTestBook } from '@pinkas/domain';
import { exampleDocument } from '@pinkas/testkit';
import { textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';

/** What is done before the test begins. */
const nothing: Partial<Business> = {
  address: null,
  city: null,
  tax_authority_connected: false,
  auto_send: { enabled: false, channel: 'email', quiet_hours: null },
};

/** What a list has of a document. */
function headOf(issued: IssuedDocument) {
  const { items: _items, prices_include_vat: _basis, discount: _discount, ...document } = issued;
  const { payments: _payments, title: _title, notes: _notes, send: _send, ...head } = document;
  return head;
}

describe('the first steps of a business', () => {
  let console: ConsoleUnderTest;
  let business: Business;
  let owner: TestBrowser;
  let hasDocuments: boolean;
  beforeAll(async () => {
    console = await startConsole();
    console.network.answer(listKeys, () => ({ keys: [] }));
    const allocation = { status: 'not_required', number: null, reason: null } as const;
    const delivery = { status: 'disabled', channel: null, scheduled_for: null } as const;
    const state = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null } as const;
    console.network.answer(listDocuments, ({ business_id }) => {
      const isEmpty = !hasDocuments || isTestBook(business_id);
      return {
        documents: isEmpty ? [] : [{ document: headOf(exampleDocument()), state, allocation, delivery }],
        next_before: null,
      };
    });
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    hasDocuments = false;
    business = console.addBusiness(nothing);
    owner = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
  });

  const change = (changed: Partial<Business>) =>
    console.businesses.set(business.id, { ...business, ...changed });
  const stepsFor = async (browser: TestBrowser) =>
    /<section[^>]*id="first-steps"[\s\S]*?<\/section>/.exec(
      (await browser.get(`/b/${business.id}`)).text,
    )?.[0];
  const primaryOf = (steps = '') =>
    [...steps.matchAll(/<a class="button primary" href="([^"]*)"/g)].map(([, href]) => href);

  it('sending is one of them, and the primary act is that of the next one', async () => {
    const at = `/b/${business.id}`;
    const steps = await stepsFor(owner);
    expect(textOf(steps ?? '')).toContain('Sending to customers');
    expect(primaryOf(steps)).toEqual([`${at}/business#details`]);
    change({ address: 'Demo street 1', city: 'Demo', logo: { sha256: 'a'.repeat(64) } });
    expect(primaryOf(await stepsFor(owner))).toEqual([`${at}/business#sending`]);
  });

  it('an institution that reports donations has the connection among them', async () => {
    change({ legal_type: 'amuta', donation_approval: { number: '46-1', valid_until: null } });
    expect(textOf((await stepsFor(owner)) ?? '')).toContain('Without it no donation is reported');
  });

  it('they stay when there are documents, for owners, until an owner dismisses them', async () => {
    hasDocuments = true;
    const reader = await console.signedIn(await console.addPerson({ [business.id]: 'bookkeeper' }));
    expect(await stepsFor(reader)).toBeUndefined();
    expect(textOf((await stepsFor(owner)) ?? '')).toMatch(/1 of 8/);
    expect((await reader.post(`/b/${business.id}/first-steps/dismiss`)).status).toBe(403);
    expect((await owner.post(`/b/${business.id}/first-steps/dismiss`)).location).toBe(`/b/${business.id}/`);
    expect(await stepsFor(owner)).toBeUndefined();
    // For the other owners as well.
    const other = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    expect(await stepsFor(other)).toBeUndefined();
  });

  it('a business without documents whose steps were dismissed has the figures', async () => {
    await stepsFor(owner);
    await owner.post(`/b/${business.id}/first-steps/dismiss`);
    expect((await owner.get(`/b/${business.id}`)).text).toContain('id="latest"');
  });
});
