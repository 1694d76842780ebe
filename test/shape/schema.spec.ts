import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { compareSchema } from '@pinkas/testkit';
import { repositoryRoot, type Source, sourcesBelow } from '../harness/sources.js';

const withoutMessaging: readonly string[] = ['gateway', 'console'];

describe('the recorded schemas', () => {
  it('schema.sql and generated.tables.ts of the kit are what its migrations create', async () => {
    const folder = new URL('../../packages/service-kit/src/db/', import.meta.url);
    const { migrated, recorded } = await compareSchema({}, folder);
    expect(recorded).toEqual(migrated);
  });

  it.each(serviceNames)(
    'schema.sql and generated.tables.ts of %s are what its migrations create',
    async (service) => {
      const folder = new URL(`../../services/${service}/src/db/`, import.meta.url);
      const { migrations } = await import(`../../services/${service}/src/db/migrations.js`);
      const { migrated, recorded } = await compareSchema(migrations, folder, {
        messaging: !withoutMessaging.includes(service),
      });
      expect(recorded).toEqual(migrated);
    },
  );
});

interface Table {
  service: string;
  name: string;
  /** The column that has the business's id; null where no row belongs to a business. */
  column: string | null;
  schema: string;
}

/** The queues of a service itself: their rows name no business in a column, and relay and consumers read them all. */
const queues = ['outbox', 'inbox', 'dead_letter'];

function tablesOf(service: string, schema: string): Table[] {
  return [
    ...schema.matchAll(/^CREATE TABLE public\.(\w+) \(\n([\s\S]*?)\n\)(?:\nPARTITION BY [^\n]*)?;$/gm),
  ].map((match) => {
    const [, name = '', columns = ''] = match;
    const tenantColumn = /^ {4}business_id /m.test(columns) ? 'business_id' : null;
    const column = service === 'gateway' && name === 'business' ? 'id' : tenantColumn;
    return { service, name, column, schema };
  });
}

describe('row-level security', () => {
  const tables: Table[] = [];
  let sources: Source[];
  beforeAll(async () => {
    const folders = [...serviceNames.map((name) => `services/${name}`), 'packages/service-kit'];
    for (const folder of folders) {
      const file = join(repositoryRoot, folder, 'src/db/schema.sql');
      tables.push(...tablesOf(folder.replace(/.*\//, ''), await readFile(file, 'utf8')));
    }
    sources = (await Promise.all(['packages', 'services', 'deploy'].map(sourcesBelow))).flat();
  });

  it('the check finds the tables', () => {
    for (const service of serviceNames) {
      const found = tables.filter((table) => table.service === service);
      expect(found.some((table) => table.column !== null)).toBe(true);
    }
    for (const name of queues) {
      expect(tables.some((table) => table.name === name)).toBe(true);
    }
  });

  it('every tenant table has a policy that is forced for its owner', () => {
    const open = tables
      .filter(({ name, column, schema }) => {
        if (column === null) {
          return false;
        }
        const policy = new RegExp(`^CREATE POLICY \\w+ ON public\\.${name} (.*\\n)*?.*;$`, 'm').exec(
          schema,
        )?.[0];
        return !(
          schema.includes(`ALTER TABLE public.${name} ENABLE ROW LEVEL SECURITY;`) &&
          schema.includes(`ALTER TABLE ONLY public.${name} FORCE ROW LEVEL SECURITY;`) &&
          policy?.includes(`(${column} = (current_setting('pinkas.business_id'`)
        );
      })
      .map(({ service, name }) => `${service}: ${name}`);
    expect(open).toEqual([]);
  });

  it('no table has a second policy', () => {
    const policies = tables.flatMap(({ schema, name }) =>
      [...schema.matchAll(new RegExp(`^CREATE POLICY \\w+ ON public\\.${name} `, 'gm'))].map(() => name),
    );
    const hidden = tables.filter((table) => table.column !== null).map((table) => table.name);
    expect(policies.sort()).toEqual(hidden.sort());
  });

  it('only the kit sets the tenant of a connection', () => {
    const tellers = sources
      .filter(({ path }) => !path.includes('/test/') && !path.endsWith('.spec.ts'))
      .filter(({ text }) => /pinkas\.business_id|\btenantSetting\b/.test(text))
      .map(({ path }) => path);
    expect(tellers.sort()).toEqual([
      'packages/service-kit/src/db/migrate.ts',
      'packages/service-kit/src/db/tenant-isolation.ts',
      'packages/service-kit/src/db/tenant-scope.ts',
    ]);
  });
});

/** What puts text into a statement as it is, and the one file that may: the statements of migrations are constants. */
const unescaped = /\bsql\.raw\(/;
const migrationRunner = 'packages/service-kit/src/db/sql-migration.ts';
const insertionOfDocuments = 'services/issuing/src/issue/issue.repository.ts';
/** Literals and identifiers that are not written out where they are used. */
const variableParts =
  /\b(?:sql|eb|query|fn)\.(?:lit|id|ref|table)(?:<[^>(]*>+)?\((?!\s*(?:'[^']*'|\d+|true|false|null)\s*[,)])/;
/** `%`, `_` and backslash of a caller would be wildcards. */
const likePatterns = /\b(?:not\s+)?i?like\s+(?:\$|'|any|all)|'(?:not )?i?like'|\bsimilar\s+to\b/i;

describe('SQL', () => {
  let sources: Source[];
  beforeAll(async () => {
    const all = await Promise.all(['packages', 'services'].map(sourcesBelow));
    sources = all
      .flat()
      .filter(({ path }) => /^[^/]+\/[^/]+\/src\//.test(path) && !path.endsWith('.spec.ts'))
      .filter(({ path }) => !/^packages\/tools\/(?:testkit|simulators)\//.test(path));
  });
  const withMatch = (pattern: RegExp) =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  it('the patterns find what they look for', () => {
    expect(sources.length).toBeGreaterThan(200);
    for (const code of [
      'sql.lit(name)',
      'query.lit(count + 1)',
      'sql.ref<Row["a"]>(name)',
      'sql.id(table, name)',
    ]) {
      expect([code, variableParts.test(code)]).toEqual([code, true]);
    }
    for (const code of ["sql.ref<Row['a']>('warning')", 'query.lit(0)', "eb.ref('name')"]) {
      expect([code, variableParts.test(code)]).toEqual([code, false]);
    }
    for (const code of ["where('name', 'like', part)", 'name ilike $1', "name not like 'a%'"]) {
      expect([code, likePatterns.test(code)]).toEqual([code, true]);
    }
  });

  it('only migrations are executed as text', () => expect(withMatch(unescaped)).toEqual([migrationRunner]));

  it('only the insertion of documents, which names the columns of its rows, has an identifier from a variable', () =>
    expect(withMatch(variableParts)).toEqual([insertionOfDocuments]));

  it('no statement compares with a LIKE pattern', () => expect(withMatch(likePatterns)).toEqual([]));
});
