import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type CustomerInput,
  type CustomerSnapshot,
  createCustomer,
  customerRecorded,
  matchCustomer,
  updateCustomer,
} from '@pinkas/contracts';
import { eventually, exampleBusiness } from '@pinkas/testkit';
import { ReservationEvents } from '../src/card/reservation-events.js';
import { ReservationPurger } from '../src/card/reservation-purger.js';
import { type CustomerUnderTest, conflictOf, startCustomer } from './customer.js';

/** A valid tax id, and one that is valid when padded. */
const taxIds = { first: '777777715', second: '777777723', short: '12344' } as const;

let customer: CustomerUnderTest;
beforeAll(async () => {
  customer = await startCustomer();
});
afterAll(() => customer?.stop());
beforeEach(() => {
  customer.business = exampleBusiness();
});

describe('ResolveCustomer', () => {
  it('ResolveCustomer creates one card for twenty concurrent requests with a new name and tax id', async () => {
    const said = { name: 'Twenty At Once', tax_id: '520000001' };
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await customer.resolve(said)).id));
    expect(new Set(ids).size).toBe(1);
  });

  it('ResolveCustomer finds a reserved card by id and keeps it while a document holds it', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const reserved = await customer.resolve({ name: 'Just Issued' }, { documentId: first });
    const again = await customer.resolve({ id: reserved.id }, { documentId: second });
    expect(again).toMatchObject({ id: reserved.id, name: 'Just Issued' });
    await customer.release(first);
    expect(await customer.card(reserved.id)).toBeDefined();
    await customer.release(second);
    expect(await customer.card(reserved.id)).toBeUndefined();
    await expect(customer.resolve({ id: reserved.id })).rejects.toMatchObject({ code: 'customer_not_found' });
  });

  it('ResolveCustomer uses separate cards for the same customer of two businesses', async () => {
    const said = { name: 'Shared Name', tax_id: taxIds.first };
    const one = await customer.issueTo(said);
    const other = await customer.resolve(said, { businessId: randomUUID() });
    expect(other.id).not.toBe(one.id);
  });

  it('ResolveCustomer stores nothing after a conflict', async () => {
    const documentId = randomUUID();
    await customer.issueTo({ name: 'Holder', tax_id: taxIds.short });
    await conflictOf(customer.resolve({ name: 'Left Nothing', tax_id: taxIds.short }, { documentId }));
    const cards = customer.db.selectFrom('card').select('id').where('name', '=', 'Left Nothing');
    expect(await cards.execute()).toEqual([]);
    expect(await customer.reservations(documentId)).toEqual([]);
  });
});

describe('RecordCustomer', () => {
  it('matchCustomer finds what ResolveCustomer finds, with the same refusals, and reserves nothing', async () => {
    const { db, business } = customer;
    const match = (input: CustomerInput, business_id = business.id) =>
      customer.network.call(matchCustomer, { business_id, customer: input });
    const kept = await customer.issueTo({
      name: 'Matched Customer',
      tax_id: '777777715',
      email: 'm@example.com',
    });
    const stored = async () => [
      await db.selectFrom('card').selectAll().orderBy('id').execute(),
      await db.selectFrom('reservation').selectAll().execute(),
    ];
    const before = await stored();
    const byName = { name: ' matched  CUSTOMER', city: 'Haifa' };
    const matched = await match(byName);
    const unknown = { name: 'Unmatched Customer', phone: '03-0000000' };
    expect(matched).toEqual({ customer: expect.objectContaining({ id: kept.id }), matched_by: 'name' });
    expect(await match({ id: kept.id })).toEqual({ customer: kept, matched_by: 'id' });
    expect(await match(unknown)).toEqual({
      customer: expect.objectContaining({ id: null, ...unknown, email: null }),
      matched_by: null,
    });
    await expect(match({ id: kept.id }, randomUUID())).rejects.toMatchObject({ code: 'customer_not_found' });
    const rival = { name: 'Rival Customer', tax_id: '777777715' };
    expect(await conflictOf(match(rival))).toBe(kept.id);
    expect((await match({ ...rival, identity_confirmed: true })).customer.id).toBeNull();
    expect(await stored()).toEqual(before);
    expect(matched.customer).toEqual(await customer.resolve(byName));
  });

  it('RecordCustomer confirms a reserved card with the details of the request', async () => {
    const { id } = await customer.resolve({ name: 'First Time', tax_id: '12344', city: 'Haifa' });
    expect(await customer.card(id)).toMatchObject({ confirmed_at: null, tax_id: null, city: null });
    await customer.issueTo({ name: 'First Time', tax_id: '12344', city: 'Haifa' });
    expect(await customer.card(id)).toMatchObject({
      name: 'First Time',
      tax_id: '000012344',
      city: 'Haifa',
      confirmed_at: new Date('2026-06-15T08:00:00.000Z'),
      claimed_until: null,
    });
  });

  it('RecordCustomer publishes customerRecorded after the card is written', async () => {
    const events = customer.network.collect(customerRecorded);
    const documentId = randomUUID();
    const snapshot = await customer.resolve({ name: 'Published' }, { documentId });
    await customer.publishIssued(snapshot, documentId);
    await eventually('the card is published', () =>
      events.some(
        ({ document_id, customer_id }) => document_id === documentId && customer_id === snapshot.id,
      ),
    );
    expect((await customer.card(snapshot.id))?.confirmed_at).not.toBeNull();
  });

  it('ResolveCustomer reserves nothing for a document that changes no card', async () => {
    const stated = { name: 'Unchanged', tax_id: '520000001', city: 'Haifa' };
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    await customer.publishAndWait(await customer.resolve(stated, { documentId: first }), first);
    await customer.resolve(stated, { documentId: second });
    expect(await customer.reservations(second)).toEqual([]);
    await customer.resolve({ ...stated, phone: '03-7654321' }, { documentId: third });
    expect([first, second, third].map((id) => customer.changes.get(id))).toEqual([true, false, true]);
  });

  it('RecordCustomer writes a card once when its event is redelivered', async () => {
    const { id } = await customer.issueTo({ name: 'Redelivered', city: 'Haifa' });
    await customer.db.updateTable('card').set({ city: null }).where('id', '=', id).execute();
    await customer.redeliverAll();
    expect((await customer.card(id))?.city).toBeNull();
  });

  it('RecordCustomer creates the card again when its reservation was purged', async () => {
    const snapshot = await customer.resolve({ name: 'Very Late' });
    await customer.db.deleteFrom('reservation').execute();
    await customer.db.deleteFrom('card').where('id', '=', snapshot.id).execute();
    await customer.publishIssued({ ...snapshot, city: 'Haifa' });
    await eventually('the card is real', async () => (await customer.card(snapshot.id))?.confirmed_at);
    expect(await customer.card(snapshot.id)).toMatchObject({ name: 'Very Late', city: 'Haifa' });
  });

  it('RecordCustomer creates a late card under its id with another name where a customer has its name by now', async () => {
    const events = customer.network.collect(customerRecorded);
    const late: { documentId: string; snapshot: CustomerSnapshot }[] = [];
    for (const city of ['Haifa', 'Lod']) {
      const documentId = randomUUID();
      late.push({ documentId, snapshot: { ...(await customer.resolve({ name: 'Overtaken' })), city } });
      await customer.db.deleteFrom('reservation').execute();
      await customer.db.deleteFrom('card').where('name', '=', 'Overtaken').execute();
    }
    const other = await customer.issueTo({ name: 'Overtaken', city: 'Eilat' });
    for (const { documentId, snapshot } of late) {
      await customer.publishIssued(snapshot, documentId);
      await eventually('the card is published', () =>
        events.some(
          ({ document_id, customer_id }) => document_id === documentId && customer_id === snapshot.id,
        ),
      );
    }
    expect((await customer.search('overtaken')).map(({ id, name, city }) => ({ id, name, city }))).toEqual([
      { id: other.id, name: 'Overtaken', city: 'Eilat' },
      { id: late[0]?.snapshot.id, name: 'Overtaken (2)', city: 'Haifa' },
      { id: late[1]?.snapshot.id, name: 'Overtaken (3)', city: 'Lod' },
    ]);
  });

  it('RecordCustomer ends the reservation of its own document only', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    const snapshot = await customer.resolve(
      { name: 'Two Documents', tax_id: '777777715' },
      { documentId: one },
    );
    await customer.resolve({ name: 'Two Documents', tax_id: '777777723' }, { documentId: two });
    await customer.publishAndWait(snapshot, one);
    expect(await customer.reservations(one)).toEqual([]);
    expect(await customer.reservations(two)).toEqual([{ card_id: snapshot.id, tax_id: '777777723' }]);
    await customer.release(two);
    expect(await customer.card(snapshot.id)).toMatchObject({ tax_id: '777777715' });
    expect((await customer.resolve({ name: 'Another', tax_id: '777777723' })).tax_id).toBe('777777723');
  });
});

describe('releaseCustomer', () => {
  it('releaseCustomer deletes the reserved card and frees its tax id', async () => {
    const documentId = randomUUID();
    const { id } = await customer.resolve({ name: 'Never Issued', tax_id: '777777715' }, { documentId });
    expect(await customer.reservations(documentId)).toEqual([{ card_id: id, tax_id: '777777715' }]);
    await customer.release(documentId);
    expect(await customer.card(id)).toBeUndefined();
    expect(await customer.reservations(documentId)).toEqual([]);
    expect(await customer.resolve({ name: 'Somebody Else', tax_id: '777777715' })).toMatchObject({
      tax_id: '777777715',
    });
  });

  it('releaseCustomer succeeds when it is repeated and when nothing is reserved', async () => {
    const documentId = randomUUID();
    await customer.resolve({ name: 'Released Twice' }, { documentId });
    await customer.release(documentId);
    await expect(customer.release(documentId)).resolves.toBeUndefined();
    await expect(customer.release(randomUUID())).resolves.toBeUndefined();
  });

  it('releaseCustomer keeps what another document has reserved', async () => {
    const said = { name: 'Shared By Two', tax_id: '777777723' };
    const other = { name: 'Third Name', tax_id: '777777723' };
    const [one, two] = [randomUUID(), randomUUID()];
    const { id } = await customer.resolve(said, { documentId: one });
    expect((await customer.resolve(said, { documentId: two })).id).toBe(id);

    await customer.release(one);
    expect(await customer.card(id)).toBeDefined();
    await expect(customer.resolve(other, { timeoutMs: 800 })).rejects.toMatchObject({ code: 'engine_error' });

    await customer.release(two);
    expect(await customer.card(id)).toBeUndefined();
    expect(await customer.resolve(other)).toMatchObject(other);
  });

  it('releaseCustomer keeps a card that another document was issued to', async () => {
    const [issued, refused] = [randomUUID(), randomUUID()];
    const snapshot = await customer.resolve({ name: 'Issued Once' }, { documentId: issued });
    await customer.resolve({ name: 'Issued Once' }, { documentId: refused });
    await customer.publishAndWait(snapshot, issued);
    await customer.release(refused);
    expect((await customer.card(snapshot.id))?.confirmed_at).not.toBeNull();
  });

  it('releaseCustomer leaves a known card as it was', async () => {
    const known = await customer.issueTo({ name: 'Known', city: 'Haifa' });
    const documentId = randomUUID();
    await customer.resolve({ id: known.id, tax_id: '550000004' }, { documentId });
    await customer.release(documentId);
    expect(await customer.card(known.id)).toMatchObject({ city: 'Haifa', tax_id: null });
  });

  it('releaseCustomer does not release the reservation of another business', async () => {
    const documentId = randomUUID();
    const { id } = await customer.resolve({ name: 'Not Yours' }, { documentId });
    await customer.release(documentId, randomUUID());
    expect(await customer.card(id)).toBeDefined();
    expect(await customer.reservations(documentId)).toHaveLength(1);
  });

  it('releaseCustomer never deletes a card that another request reserves concurrently', async () => {
    for (let round = 0; round < 25; round += 1) {
      const name = `Moment ${round}`;
      const [leaving, coming] = [randomUUID(), randomUUID()];
      await customer.resolve({ name }, { documentId: leaving });
      const [, snapshot] = await Promise.all([
        customer.release(leaving),
        customer.resolve({ name }, { documentId: coming }),
      ]);
      expect(await customer.card(snapshot.id)).toBeDefined();
      expect(await customer.reservations(coming)).toEqual([{ card_id: snapshot.id, tax_id: null }]);
    }
  });
});

describe('ResolveCustomer with a tax id in flight', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Counts the looks that found the tax id undecided. */
  const watchWaits = () => jest.spyOn(customer.service.app.get(ReservationEvents), 'wait');
  const waiting = (waits: ReturnType<typeof watchWaits>, count: number) =>
    eventually(`${count} wait`, () => waits.mock.calls.length >= count);

  it('ResolveCustomer waits for a tax id in flight and gets it when the first request is released', async () => {
    const first = randomUUID();
    const { id } = await customer.resolve({ name: 'Refused', tax_id: '777777715' }, { documentId: first });
    const waits = watchWaits();
    const second = customer.resolve({ name: 'Second', tax_id: '777777715' });
    await waiting(waits, 1);
    await customer.release(first);
    expect(await second).toMatchObject({ name: 'Second', tax_id: '777777715' });
    expect(await customer.card(id)).toBeUndefined();
  });

  it('ResolveCustomer reports a conflict when the document in flight is issued', async () => {
    const first = randomUUID();
    const issued = await customer.resolve({ name: 'Issued', tax_id: '777777723' }, { documentId: first });
    const waits = watchWaits();
    const second = conflictOf(customer.resolve({ name: 'Too Late', tax_id: '777777723' }));
    await waiting(waits, 1);
    await customer.publishIssued(issued, first);
    expect(await second).toBe(issued.id);
    expect(await customer.card(issued.id)).toMatchObject({ tax_id: '777777723', claimed_until: null });
  });

  it('a card that is opened by hand waits for a tax id in flight, and is the same customer where its document is issued', async () => {
    const first = randomUUID();
    const issued = await customer.resolve({ name: 'In Flight', tax_id: '777777749' }, { documentId: first });
    const open = (name: string) =>
      customer.network.call(createCustomer, {
        ...{ business_id: customer.business.id, customer_id: randomUUID(), person_id: randomUUID() },
        customer: { name, tax_id: '777777749' },
      });
    const waits = watchWaits();
    const second = conflictOf(open('By Hand'));
    await waiting(waits, 1);
    await customer.publishIssued(issued, first);
    expect(await second).toBe(issued.id);
  });

  it('one of two customers that are renamed to one name at once gets it', async () => {
    const ids = await Promise.all(
      ['One', 'Two'].map(async (name) => (await customer.issueTo({ name: `${name} ${randomUUID()}` })).id),
    );
    const name = `Wanted ${randomUUID()}`;
    const renamed = await Promise.allSettled(
      ids.map((customer_id) =>
        customer.network.call(updateCustomer, {
          ...{ business_id: customer.business.id, customer_id, person_id: randomUUID() },
          change: { name },
        }),
      ),
    );
    expect(renamed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = renamed.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'validation_error' });
  });

  it('ResolveCustomer by id waits for a tax id in flight', async () => {
    const known = await customer.issueTo({ name: 'Known Without' });
    const first = randomUUID();
    const issued = await customer.resolve({ name: 'New With', tax_id: '777777731' }, { documentId: first });
    const waits = watchWaits();
    const second = conflictOf(customer.resolve({ id: known.id, tax_id: '777777731' }));
    await waiting(waits, 1);
    await customer.publishIssued(issued, first);
    expect(await second).toBe(issued.id);
  });

  it('ResolveCustomer waits for a tax id that is being added to a known card', async () => {
    const known = await customer.issueTo({ name: 'To Be Filled' });
    const first = randomUUID();
    await customer.resolve({ id: known.id, tax_id: '550000004' }, { documentId: first });
    const waits = watchWaits();
    const second = customer.resolve({ name: 'Other', tax_id: '550000004' });
    await waiting(waits, 1);
    await customer.release(first);
    await second;
    expect(await customer.card(known.id)).toMatchObject({ tax_id: null });
  });

  it('ResolveCustomer waits for a request with a confirmed identity, which itself never waits', async () => {
    const first = randomUUID();
    const elder = await customer.resolve(
      { name: 'Confirmed Elder', tax_id: '560000002' },
      { documentId: first },
    );
    const second = randomUUID();
    const confirmed = await customer.resolve(
      { name: 'Confirmed Younger', tax_id: '560000002', identity_confirmed: true },
      { documentId: second },
    );
    await customer.release(first);
    expect(await customer.card(elder.id)).toBeUndefined();
    const waits = watchWaits();
    const third = conflictOf(customer.resolve({ name: 'Third', tax_id: '560000002' }));
    await waiting(waits, 1);
    await customer.publishIssued(confirmed, second);
    expect(await third).toBe(confirmed.id);
  });

  it('ResolveCustomer issues to one of eight new names with one tax id and reports conflicts to the others', async () => {
    const waits = watchWaits();
    const documents = Array.from({ length: 8 }, (_, index) => ({ id: randomUUID(), name: `Racer ${index}` }));
    const outcomes = documents.map(({ id, name }) =>
      customer.resolve({ name, tax_id: '540000007' }, { documentId: id }).then(
        (served) => ({ id, served }),
        (error: unknown) => ({ id, error }),
      ),
    );
    const winner = await Promise.race(outcomes);
    if (!('served' in winner)) {
      throw winner.error;
    }
    await waiting(waits, 7);
    await customer.publishIssued(winner.served, winner.id);
    for (const outcome of await Promise.all(outcomes)) {
      if (outcome.id === winner.id) {
        continue;
      }
      expect(outcome).toMatchObject({
        error: {
          code: 'customer_identity_conflict',
          details: { existing_customer_id: winner.served.id },
        },
      });
    }
  });

  it('ResolveCustomer serves other customers while many requests wait for one tax id', async () => {
    const first = randomUUID();
    await customer.resolve({ name: 'Holder', tax_id: '570000000' }, { documentId: first });
    const waits = watchWaits();
    // More than the pool has connections.
    const many = Array.from({ length: 20 }, (_, index) =>
      customer.resolve({ name: `Waiter ${index}`, tax_id: '570000000' }),
    );
    const settled = Promise.allSettled(many);
    await waiting(waits, 20);
    const unrelated = await customer.resolve({ name: 'Unrelated', tax_id: '580000008' });
    expect(unrelated.name).toBe('Unrelated');
    await customer.release(first);
    const served = (await settled).filter((outcome) => outcome.status === 'fulfilled');
    expect(served).toHaveLength(1);
  });

  it('ResolveCustomer reports a retryable error when a tax id stays undecided', async () => {
    const first = randomUUID();
    await customer.resolve({ name: 'Slow', tax_id: '590000006' }, { documentId: first });
    const said = { name: 'Impatient', tax_id: '590000006' };
    // On a busy machine its reply may come too late.
    await eventually('the service says so itself, before the one who asks gives up', async () => {
      const refused: unknown = await customer
        .resolve(said, { timeoutMs: 1_500 })
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'engine_error' });
      expect(refused).not.toHaveProperty('cause');
      return true;
    });
    expect(await customer.db.selectFrom('card').select('id').where('name', '=', said.name).execute()).toEqual(
      [],
    );
    await customer.release(first);
    expect(await customer.resolve(said)).toMatchObject(said);
  });

  it('ResolveCustomer gets a tax id when the reservation of a crashed request expires', async () => {
    await customer.resolve({ name: 'Crashed', tax_id: '512345679' });
    const waits = watchWaits();
    const next = customer.resolve({ name: 'Next In Line', tax_id: '512345679' });
    await waiting(waits, 1);
    customer.clock.now = new Date(customer.clock.now.getTime() + 60_000);
    expect(await next).toMatchObject({ tax_id: '512345679' });
  });

  it('ResolveCustomer does not wait for another business', async () => {
    const said = { name: 'Here', tax_id: '520000001' };
    await customer.resolve(said);
    const waits = watchWaits();
    await customer.resolve({ ...said, name: 'There' }, { businessId: randomUUID() });
    expect(waits).not.toHaveBeenCalled();
  });
});

describe('ReservationPurger', () => {
  it('ReservationPurger deletes an unused reservation after an hour and keeps customers and fresh reservations', async () => {
    const purge = customer.service.app.get(ReservationPurger);
    const stale = await customer.resolve({ name: 'Stale', tax_id: '777777715' });
    const real = await customer.issueTo({ name: 'Real' });
    await purge.tickNow();
    expect(await customer.card(stale.id)).toBeDefined();

    customer.clock.now = new Date(customer.clock.now.getTime() + 62 * 60 * 1000);
    const fresh = await customer.resolve({ name: 'Fresh' });
    await purge.tickNow();
    expect(await customer.card(stale.id)).toBeUndefined();
    expect(await customer.card(real.id)).toBeDefined();
    expect(await customer.card(fresh.id)).toBeDefined();
    expect(await customer.db.selectFrom('reservation').select('card_id').execute()).toEqual([
      { card_id: fresh.id },
    ]);
  });
});
