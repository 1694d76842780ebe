import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { ReservationEvents } from '../src/card/reservation-events.js';
import { type CustomerUnderTest, conflictOf, startCustomer } from './customer.js';

describe('ResolveCustomer with a tax id in flight', () => {
  let customer: CustomerUnderTest;
  beforeAll(async () => {
    customer = await startCustomer();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => customer.stop());

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
    const refused: unknown = await customer
      .resolve(said, { timeoutMs: 1_500 })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'engine_error' });
    // The service has said so itself, before the one who asks gave up.
    expect(refused).not.toHaveProperty('cause');
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
