import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgresFolder } from '@pinkas/local-stack/servers';
import type { Migrations } from '@pinkas/service-kit/schema';
import type { ColumnMetadata, Kysely, TableMetadata } from 'kysely';
import { createTestDatabase, type TestDatabase } from './databases.js';

/** Whether the tables of the kit in a database are those of a service with events. */
interface KitTables {
  readonly messaging?: boolean;
}

/** What is recorded of a database: its schema as SQL, and its tables as types. */
interface Recorded {
  readonly 'schema.sql': string;
  readonly 'generated.tables.ts': string;
}

/**
 * Migrates an empty database and reads what a service keeps next to its migrations, so that a test can compare the two. With
 * `UPDATE_SCHEMA=true` in the environment the files are written first: the way to renew them. Without migrations: those of the kit.
 * @param folder of the files.
 */
export async function compareSchema(
  migrations: Migrations,
  folder: URL,
  { messaging = true }: KitTables = {},
): Promise<{ migrated: Recorded; recorded: Recorded }> {
  const kit = await createTestDatabase({}, { messaging });
  const database = await createTestDatabase(migrations, { messaging });
  try {
    const isKit = Object.keys(migrations).length === 0;
    const migrated: Recorded = {
      'schema.sql': schemaText(await statementsOf(database), isKit ? [] : await statementsOf(kit)),
      'generated.tables.ts': tableTypes(await tablesOf(database.db), isKit ? [] : await tablesOf(kit.db)),
    };
    const files = Object.keys(migrated) as (keyof Recorded)[];
    if (process.env.UPDATE_SCHEMA === 'true') {
      await Promise.all(files.map((file) => writeFile(new URL(file, folder), migrated[file])));
    }
    const texts = await Promise.all(
      files.map((file) => readFile(new URL(file, folder), 'utf8').catch(() => '')),
    );
    return {
      migrated,
      recorded: Object.fromEntries(files.map((file, n) => [file, texts[n]])) as unknown as Recorded,
    };
  } finally {
    await Promise.all([database.close(), kit.close()]);
  }
}

/** The statements that make a database, without what depends on the server's version or on the names of roles. */
async function statementsOf({ ownerUrl }: TestDatabase<unknown>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    join(findPostgresFolder()?.path ?? '', 'pg_dump'),
    ['--schema-only', '--no-owner', '--no-privileges', '--dbname', ownerUrl],
    { maxBuffer: 16 * 1024 * 1024, timeout: 60_000 },
  );
  return stdout
    .split(/^--\n-- Name: .*\n--$/m)
    .map((part) =>
      part
        .split('\n')
        .filter((line) => !/^(--|SET |SELECT pg_catalog|\\(un)?restrict)/.test(line))
        .join('\n')
        .replaceAll(/\n{3,}/g, '\n\n')
        .trim(),
    )
    .filter((part) => part !== '');
}

/**
 * The statements as one text, without those of the kit.
 * @throws Error where one of the kit is missing: a migration of the service has changed a table of the kit.
 */
function schemaText(statements: readonly string[], ofKit: readonly string[]): string {
  const missing = ofKit.filter((statement) => !statements.includes(statement));
  if (missing.length > 0) {
    throw new Error(`The migrations of the service change what is the kit's:\n${missing.join('\n\n')}`);
  }
  return `${statements.filter((statement) => !ofKit.includes(statement)).join('\n\n')}\n`;
}

const tablesOf = async (db: Kysely<unknown>): Promise<TableMetadata[]> =>
  (await db.introspection.getTables()).filter(({ isView, name }) => !isView && !/^(kysely|kit)_/.test(name));

/** How the columns of a type are read, and written: see `openDatabase`. Text where money would lose agorot and days their date. */
const typesOfColumns: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'unknown',
  jsonb: 'unknown',
  numeric: 'string',
  text: 'string',
  timestamptz: 'Date',
  uuid: 'string',
};

/** The types of tables, with the comments that the database has, in the order of their columns. */
function tableTypes(tables: readonly TableMetadata[], ofKit: readonly TableMetadata[]): string {
  const own = tables.filter(({ name }) => !ofKit.some((table) => table.name === name));
  const body = own
    .map(({ name, columns }) => `\n  ${name}: {\n${columns.map(columnType).join('')}  };`)
    .join('');
  const generated = body.includes('Generated<') ? "import type { Generated } from 'kysely';\n\n" : '';
  return `${generated}/** The tables as the migrations make them; a test compares them with the database, and writes this file (CONTRIBUTING.md). */
export interface GeneratedTables {${body}
}
`;
}

function columnType({
  name,
  dataType,
  isNullable,
  hasDefaultValue,
  isAutoIncrementing,
  comment,
}: ColumnMetadata): string {
  const element = typesOfColumns[dataType.replace(/^_/, '')];
  if (element === undefined) {
    throw new Error(`The column ${name} has the type ${dataType}, which no type of TypeScript is known for.`);
  }
  const one = dataType.startsWith('_') ? `${element}[]` : element;
  const type = isNullable && one !== 'unknown' ? `${one} | null` : one;
  const isOptional = hasDefaultValue || isAutoIncrementing;
  return `${commentOf(comment)}    ${name}: ${isOptional ? `Generated<${type}>` : type};\n`;
}

/** At most 100 characters a line. */
function commentOf(comment: string | undefined): string {
  if (comment === undefined) {
    return '';
  }
  const lines = comment.match(/.{1,100}(?:\s|$)/g)?.map((line) => line.trim()) ?? [];
  return lines.length === 1
    ? `    /** ${lines[0]} */\n`
    : `    /**\n${lines.map((line) => `     * ${line}\n`).join('')}     */\n`;
}
