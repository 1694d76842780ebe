import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreateDocument,
  type CreatedDocument,
  type CustomerList,
  type DocumentPage,
  type ErrorBody,
  type ServiceName,
  serviceNames,
} from '@pinkas/contracts';
import { type DocumentType } from '@pinkas/domain';
import { createLogger, type Database, forTenant, openDatabase } from '@pinkas/service-kit';
import { demoCustomer } from '@pinkas/testkit/examples';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { Operator } from '../../harness/operator.js';
import { expectNothingPending } from '../../harness/pending.js';
import {
  type Answer,
  type CallOptions,
  type Issuer,
  type RunningStack,
  sendsMail,
} from '../../harness/running-stack.js';
import { types } from '../../properties/book-model.js';
import { Caller } from '../../properties/caller.js';

/** What each of two answers has of its own, the caller that asks for whatever. */
const ownHeaders = ['date', 'ratelimit-remaining', 'ratelimit-reset'];

const payments = [{ method: 'cash' as const, amount: 7080 }];

/** A business with a document of every type. */
interface Party {
  issuer: Issuer;
  caller: Caller;
  documents: CreatedDocument[];
  /** The Idempotency-Keys of the documents. */
  keys: string[];
  bodies: CreateDocument[];
}

/** Every service's tables that belong to businesses, where every business that issues has rows. */
const tablesOfBusinesses: Readonly<Record<ServiceName, readonly string[]>> = {
  gateway: ['api_key', 'business'],
  issuing: ['account_sum', 'book', 'daily_count', 'debt_sum', 'document', 'document_sum', 'series'],
  customer: ['card', 'card_name_suffix'],
  rendering: ['artifact'],
  allocation: ['allocation', 'connection'],
  delivery: ['delivery', 'document'],
  console: ['membership'],
};

/** A table of a service, with the column that says whose a row is. */
interface OwnedTable {
  name: string;
  column: string;
  secured: boolean;
  forced: boolean;
  owner: string;
}

export function isolation(system: () => RunningStack): void {
  describe('tenant isolation', () => {
    let stack: RunningStack;
    let operator: Operator;
    /** Who asks, and whose things it asks for. */
    let mine: Party;
    let theirs: Party;
    beforeAll(async () => {
      stack = system();
      operator = await Operator.at(stack);
      mine = await newParty('mine');
      theirs = await newParty('theirs');
    });
    afterAll(async () => {
      await operator?.close();
    });

    async function newParty(of: string): Promise<Party> {
      const issuer = await operator.newIssuer({ ...sendsMail, tax_authority_connected: true });
      const invitation = [`${of}@example.com`, '--business', issuer.business.id, '--role', 'owner'];
      await stack.pinkas('person', 'invite', ...invitation);
      const party: Party = {
        issuer,
        caller: await Caller.with(stack, issuer.key),
        documents: [],
        keys: [],
        bodies: [],
      };
      for (const type of types) {
        const source = party.documents.find((document) => document.type === 'tax_invoice');
        const body: CreateDocument = {
          type,
          customer: { ...demoCustomer, name: `${demoCustomer.name} ${of}` },
          // Above the threshold of the tax authority, so that every service has something to keep.
          items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 6000 }],
          external_ref: `${of}-${type}`,
          ...(['tax_invoice_receipt', 'receipt', 'donation_receipt'].includes(type) ? { payments } : {}),
          ...(type === 'credit_note' && source ? { based_on: source.id } : {}),
        };
        const key = `${of} ${type} ${randomUUID()}`;
        const answer = await party.caller.issue(body, key);
        expect([type, answer.status]).toEqual([type, 201]);
        party.documents.push(answer.body);
        party.keys.push(key);
        party.bodies.push(body);
      }
      return party;
    }

    const ofType = (party: Party, type: DocumentType): CreatedDocument => {
      const found = party.documents.find((document) => document.type === type);
      if (!found) {
        throw new Error(`no ${type} was issued`);
      }
      return found;
    };

    /** An answer with all that a caller can distinguish. */
    const actual = ({ status, headers, text }: Answer): unknown => ({
      status,
      headers: Object.entries(headers).map(([name, value]) => [
        name,
        ownHeaders.includes(name) ? 'its own' : value,
      ]),
      text,
    });

    /** Sends the same request with two texts in one place, under one request id, and expects answers that are equal. */
    async function expectAlike(
      method: 'GET' | 'POST',
      request: (id: string) => { path: string } & CallOptions,
      foreign: string,
      unknown: string = randomUUID(),
    ): Promise<ErrorBody> {
      const requestId = randomUUID();
      const send = (id: string) => {
        const { path, headers, ...sending } = request(id);
        return mine.caller.send<ErrorBody>(method, path, {
          ...sending,
          headers: { ...headers, 'x-request-id': requestId },
        });
      };
      const nothing = await send(unknown);
      const other = await send(foreign);
      expect(actual(other)).toEqual(actual(nothing));
      expect(other.text).not.toContain(foreign);
      return other.body;
    }

    it('a document of another business is not found by its id, for any type', async () => {
      for (const document of theirs.documents) {
        for (const id of [document.id, document.id.toUpperCase(), document.public_id]) {
          const body = await expectAlike('GET', (item) => ({ path: `/documents/${item}` }), id);
          expect(body.error.code).toBe('not_found');
        }
      }
    });

    it('a document of another business cannot be cancelled, for any type and body', async () => {
      for (const document of theirs.documents) {
        for (const text of [
          undefined,
          '{}',
          '{"reason":"טעות"}',
          '{"reason":5}',
          '{"why":1}',
          '{',
          '[]',
          '\u0000',
        ]) {
          const body = await expectAlike(
            'POST',
            (id) => ({ path: `/documents/${id}/cancel`, ...(text === undefined ? {} : { text }) }),
            document.id,
          );
          expect([document.type, text, body.error.code]).toEqual([document.type, text, 'not_found']);
        }
        const read = await theirs.caller.send<CreatedDocument>('GET', `/documents/${document.id}`);
        expect(read.body.status).not.toBe('cancelled');
      }
    });

    it('a document of another business cannot be a source, for any pair of types', async () => {
      for (const [index, body] of mine.bodies.entries()) {
        for (const source of theirs.documents) {
          const refused = await expectAlike(
            'POST',
            (id) => ({
              path: '/documents',
              body: { ...body, based_on: id },
              headers: { 'idempotency-key': `source ${index} ${source.id}` },
            }),
            source.id,
          );
          expect(refused.error.code).toBe('based_on_not_found');
        }
      }
    });

    it('a customer of another business cannot be used by its id', async () => {
      const card = theirs.documents[0]?.customer.id ?? '';
      for (const body of mine.bodies) {
        for (const extra of [{}, { name: `${demoCustomer.name} theirs` }, { tax_id: demoCustomer.tax_id }]) {
          const refused = await expectAlike(
            'POST',
            (id) => ({
              path: '/documents',
              body: { ...body, customer: { id, ...extra } },
              headers: { 'idempotency-key': `customer of ${body.type}` },
            }),
            card,
          );
          expect(refused.error.code).toBe('customer_not_found');
        }
      }
    });

    it('a cursor of another business does not continue a list', async () => {
      const page = await theirs.caller.send<DocumentPage>('GET', '/documents?limit=3');
      const cursor = page.body.next_cursor ?? '';
      expect(cursor).not.toBe('');
      const invented = randomBytes(Buffer.from(cursor, 'base64url').length).toString('base64url');
      const refused = await expectAlike(
        'GET',
        (item) => ({ path: `/documents?cursor=${item}` }),
        cursor,
        invented,
      );
      expect(refused.error.code).toBe('validation_error');
    });

    it('no list and no search returns anything of another business, with any filter', async () => {
      const [first = '', last = ''] = theirs.documents.map((document) => document.date).sort();
      for (const query of [
        '',
        'include_cancelled=true&limit=100',
        `from=${first}&to=${last}`,
        ...types.map((type) => `type=${type}`),
        ...theirs.bodies.map((body) => `external_ref=${body.external_ref}`),
      ]) {
        const page = await mine.caller.send<DocumentPage>('GET', `/documents?${query}`);
        expect(page.status).toBe(200);
        const own = mine.documents.map((document) => document.id);
        expect(page.body.data.filter((item) => !own.includes(item.id))).toEqual([]);
        expect(page.text).not.toMatch(/theirs/);
        for (const one of theirs.documents) {
          expect(page.text).not.toContain(one.id);
        }
      }
      for (const body of theirs.bodies) {
        await expectNothingFound(`/documents?external_ref=${body.external_ref}`);
      }
      await expectNothingFound(`/customers?q=${encodeURIComponent('theirs')}`);
      const found = await mine.caller.send<CustomerList>('GET', `/customers?q=${demoCustomer.tax_id}`);
      expect(found.body.data.map((card) => card.name)).toEqual([`${demoCustomer.name} mine`]);
      const all = await mine.caller.send<CustomerList>('GET', '/customers');
      expect(all.body.data.map((card) => card.name)).toEqual([`${demoCustomer.name} mine`]);
    });

    /** An answer with no row, like that for a text that no one has. */
    async function expectNothingFound(path: string): Promise<void> {
      const answer = await mine.caller.send<{ data: unknown[] }>('GET', path);
      expect([path, answer.status, answer.body.data]).toEqual([path, 200, []]);
    }

    it('an idempotency key of another business is not replayed and issues an own document', async () => {
      for (const [index, body] of mine.bodies.entries()) {
        const key = theirs.keys[index] ?? '';
        const answer = await mine.caller.issue(body, key);
        expect([body.type, answer.status, answer.headers['idempotent-replayed']]).toEqual([
          body.type,
          201,
          undefined,
        ]);
        expect(answer.body.id).not.toBe(theirs.documents[index]?.id);
        mine.documents.push(answer.body);
        const replay = await theirs.caller.issue(theirs.bodies[index] ?? body, key);
        expect(replay.headers['idempotent-replayed']).toBe('true');
        expect(replay.body).toEqual(theirs.documents[index]);
      }
    });

    it('customer names, tax ids and numbers of another business are free to use', async () => {
      const answer = await mine.caller.issue({
        ...(mine.bodies[0] as CreateDocument),
        customer: { name: `${demoCustomer.name} theirs` },
      });
      expect(answer.status).toBe(201);
      expect(answer.body.customer.tax_id).toBeNull();
      expect(answer.body.customer.id).not.toBe(theirs.documents[0]?.customer.id);
      mine.documents.push(answer.body);
      for (const type of types) {
        expect(ofType(mine, type).number).toBe(1);
        expect(ofType(theirs, type).number).toBe(1);
      }
    });

    it('the public page of a document contains no id, key or number that the HTTP API accepts', async () => {
      for (const document of theirs.documents) {
        for (const url of [document.view_url, document.pdf_url]) {
          const page = await fetch(url, { signal: AbortSignal.timeout(60_000) });
          expect(page.status).toBe(200);
          const bytes = Buffer.from(await page.arrayBuffer()).toString('latin1');
          const headers = JSON.stringify([...page.headers]);
          const secrets = [
            theirs.issuer.key,
            theirs.issuer.business.id,
            document.customer.id ?? '',
            theirs.keys[theirs.documents.indexOf(document)] ?? '',
            // A PDF has its document's id on purpose, so that the book finds it again; without a key the id opens nothing.
            ...(url === document.pdf_url ? [] : [document.id]),
          ];
          for (const secret of secrets) {
            expect(bytes).not.toContain(secret);
            expect(headers).not.toContain(secret);
          }
        }
      }
    });

    describe.each(serviceNames)('in the database of %s', (service) => {
      let db: Database<unknown>;
      let tables: OwnedTable[];
      beforeAll(async () => {
        await expectNothingPending(stack);
        const { postgres } = await stack.file();
        db = openDatabase<unknown>({
          url: postgres[service],
          poolSize: 2,
          applicationName: 'test',
          logger: createLogger('test', 'silent'),
        });
        const { rows } = await sql<OwnedTable>`
        select c.relname as name, a.attname as column, c.relrowsecurity as secured, c.relforcerowsecurity as forced,
               pg_get_userbyid(c.relowner) as owner
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
          join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
           and (a.attname = 'business_id' or c.relname = 'business' and a.attname = 'id')
         where c.relkind in ('r', 'p', 'v', 'm')
         order by 1`.execute(db);
        tables = rows;
      });
      afterAll(() => db?.destroy());

      const count = async (as: Database<unknown>, table: OwnedTable, of?: Party): Promise<number> => {
        const narrowed = of ? sql`where ${sql.ref(table.column)} = ${of.issuer.business.id}` : sql``;
        const { rows } = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(table.name)} ${narrowed}`.execute(as);
        return rows[0]?.count ?? Number.NaN;
      };
      const seenBy = (party: Party) => forTenant(db, party.issuer.business.id);

      it('every tenant table has row-level security that is forced for its owner', () => {
        expect(tables.map((table) => table.name)).toEqual(
          expect.arrayContaining([...tablesOfBusinesses[service]]),
        );
        for (const table of tables) {
          expect(table).toMatchObject({ secured: true, forced: true });
        }
      });

      it('the login role owns no table, bypasses no policy and is a member of no other role', async () => {
        const { rows } = await sql<{
          name: string;
          super: boolean;
          bypass: boolean;
          makes: boolean;
          others: string[];
        }>`
        select rolname as name, rolsuper as super, rolbypassrls as bypass, rolcreaterole or rolcreatedb as makes,
               array(select r.rolname::text from pg_roles r where r.oid <> me.oid and pg_has_role(me.oid, r.oid, 'member')) as others
          from pg_roles me where rolname = current_user`.execute(db);
        expect(rows).toEqual([
          { name: `pinkas_${service}`, super: false, bypass: false, makes: false, others: [] },
        ]);
        const { rows: owned } = await sql`
        select relname from pg_class where relowner = (select oid from pg_roles where rolname = current_user)`.execute(
          db,
        );
        expect(owned).toEqual([]);
        const owners = new Set([
          ...tables.map((table) => table.owner),
          `pinkas_${service}_owner`,
          'postgres',
        ]);
        for (const owner of owners) {
          await expect(sql`set role ${sql.id(owner)}`.execute(db)).rejects.toThrow(
            /permission denied|does not exist/,
          );
        }
        for (const table of tables) {
          await expect(
            sql`alter table ${sql.table(table.name)} disable row level security`.execute(db),
          ).rejects.toThrow('must be owner');
        }
        const [first] = tables;
        if (!first) {
          throw new Error(`${service} has no table of businesses`);
        }
        const blind = db.transaction().execute(async (trx) => {
          await sql`set local row_security = off`.execute(trx);
          return count(trx, first);
        });
        await expect(blind).rejects.toThrow('row-level security');
      });

      it('a connection without a tenant sees no row', async () => {
        for (const table of tables) {
          expect([table.name, await count(db, table)]).toEqual([table.name, 0]);
        }
      });

      it('a connection of one tenant sees no row of another', async () => {
        for (const table of tables) {
          const own = await count(seenBy(mine), table, mine);
          // Seen with the right business, so that nothing is proved by empty tables.
          if (tablesOfBusinesses[service].includes(table.name)) {
            expect([table.name, own > 0]).toEqual([table.name, true]);
            expect([table.name, (await count(seenBy(theirs), table, theirs)) > 0]).toEqual([
              table.name,
              true,
            ]);
          }
          expect([table.name, await count(seenBy(mine), table)]).toEqual([table.name, own]);
          expect([table.name, await count(seenBy(mine), table, theirs)]).toEqual([table.name, 0]);
        }
      });

      it('a connection of one tenant cannot update, delete or insert rows of another', async () => {
        const me = mine.issuer.business.id;
        const other = theirs.issuer.business.id;
        for (const table of tables) {
          const [name, column] = [sql.table(table.name), sql.ref(table.column)];
          const before = await count(seenBy(theirs), table);
          const as = seenBy(mine);
          const changed = sql`update ${name} set ${column} = ${column} where ${column} = ${other}`;
          const taken = sql`delete from ${name} where ${column} = ${other}`;
          expect([table.name, await affected(changed, as), await affected(taken, as)]).toEqual([
            table.name,
            0n,
            0n,
          ]);
          if (tablesOfBusinesses[service].includes(table.name)) {
            await expect(
              sql`insert into ${name}
              select (jsonb_populate_record(null::${name}, to_jsonb(one) || ${JSON.stringify({ [table.column]: other })}::jsonb)).*
                from ${name} one limit 1`.execute(as),
            ).rejects.toThrow(/row-level security policy|permission denied for table/);
            await expect(
              sql`update ${name} set ${column} = ${other} where ${column} = ${me}`.execute(as),
            ).rejects.toThrow();
          }
          expect([table.name, await count(seenBy(theirs), table)]).toEqual([table.name, before]);
        }
      });

      it('the roles of other services cannot connect', async () => {
        const { postgres } = await stack.file();
        for (const neighbour of serviceNames.filter((name) => name !== service)) {
          const url = new URL(postgres[neighbour]);
          url.pathname = new URL(postgres[service]).pathname;
          const stranger = stack.databaseAt<unknown>(url.href);
          await expect(sql`select 1`.execute(stranger)).rejects.toThrow('permission denied for database');
          await stranger.destroy();
        }
      });
    });
  });
}

/** How many rows a statement changes; none where the role may not change the table at all. */
async function affected(statement: RawBuilder<unknown>, db: Kysely<unknown>): Promise<bigint | undefined> {
  try {
    return (await statement.execute(db)).numAffectedRows;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('permission denied for table')) {
      return 0n;
    }
    throw error;
  }
}
