import type { MemberRole } from '@pinkas/contracts';
import type { BookMark, Finding } from '@pinkas/exports/verify';
import type { AsGenerated, TrailTables, Typed } from '@pinkas/service-kit';
import type { ColumnType } from 'kysely';
import type { ExportTables } from './export.tables.js';
import type { GeneratedTables } from './generated.tables.js';
import type { SignInTables } from './sign-in.tables.js';

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnConsoleTables {
  /**
   * A person who may sign in.
   * - `email`: In lower case, its domain in ASCII.
   */
  person: {
    /** Null: the language of the browser, or Hebrew. */
    language: 'he' | 'en' | null;
  };
  /**
   * A business that a person may open.
   * - `invited_by`: Null: the operator.
   * - `undelivered_at`: When the invitation was rejected, or expired unsent; null: it was not.
   */
  membership: {
    role: MemberRole;
    /** When the person first opened the business; null: they have not come yet. */
    joined_at: ColumnType<Date | null, Date | undefined, Date>;
  };
  /**
   * A browser in which a person is signed in.
   * - `token_hash`: Of the value in the cookie, which is stored nowhere.
   * - `next_token_hash`: Of the value that the browser gets next; the current one is valid until this one was
   *   seen.
   * - `previous_token_hash`: Of the value before the current one, for requests that were in flight.
   * - `proved_at`: When the person last proved who they are.
   */
  session: {
    /** When the current value was first seen. */
    token_since: Date;
  };
  /**
   * What a form has done, until the page that it leads to has shown it.
   * - `path`: Of the page, without its query.
   */
  form_outcome: AsGenerated;
  /**
   * The daily check of a book.
   * - `round_findings`: What the parts of the round have found so far.
   */
  book_check: {
    mark: ColumnType<BookMark | null, string | null | undefined, string | null>;
    round_findings: ColumnType<Finding[] | null, string | null | undefined, string | null>;
    findings: ColumnType<Finding[] | null, string | null | undefined, string | null>;
  };
  /**
   * What a person has typed into a form and not finished.
   * - `id`: Of a document: the idempotency key with which it is issued.
   * - `path`: Where the form is sent; another one in the test book.
   */
  draft: {
    /** Names and values in their order. */
    fields: ColumnType<[string, string][], string, string>;
    /** The document that was issued from it, and then it has no fields; null: none was. */
    document_id: ColumnType<string | null, string | undefined, string>;
  };
  /** A business whose owner needs its first steps no more. */
  dismissed_steps: AsGenerated;
  /**
   * A row of *Needs attention* that a person has dismissed.
   * - `row_hash`: Of what the row is about and when that happened, or how much it came to.
   */
  dismissed_row: AsGenerated;
}

/** The tables of the console. */
export interface ConsoleTables
  extends TrailTables,
    ExportTables,
    SignInTables,
    Typed<GeneratedTables, OwnConsoleTables> {}

export type SessionTable = ConsoleTables['session'];
