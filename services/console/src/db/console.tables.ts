import type { MemberRole } from '@pinkas/contracts';
import type { AuditTables } from '@pinkas/service-kit';
import type { ColumnType } from 'kysely';
import type { ExportTables } from './export.tables.js';
import type { SignInTables } from './sign-in.tables.js';

export interface PersonTable {
  id: string;
  /** In lower case, its domain in ASCII. */
  email: string;
  /** Null: the language of the browser, or Hebrew. */
  language: 'he' | 'en' | null;
  created_at: Date;
}

export interface MembershipTable {
  business_id: string;
  person_id: string;
  role: MemberRole;
  /** Null: the operator. */
  invited_by: string | null;
  invited_at: Date;
  /** When the invitation was rejected, or expired unsent; null: it was not. */
  undelivered_at: Date | null;
  /** When the person first opened the business; null: they have not come yet. */
  joined_at: ColumnType<Date | null, Date | undefined, Date>;
}

export interface SessionTable {
  id: string;
  person_id: string;
  /** Of the value in the cookie, which is stored nowhere. */
  token_hash: Buffer;
  /** Of the value that the browser gets next; the current one is valid until this one was seen. */
  next_token_hash: Buffer | null;
  next_token_at: Date | null;
  /** Of the value before the current one, for requests that were in flight. */
  previous_token_hash: Buffer | null;
  previous_token_until: Date | null;
  /** When the current value was first seen. */
  token_since: Date;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
  /** When the person last proved who they are. */
  proved_at: Date;
  user_agent: string;
  network: string;
}

/** What a form has done, until the page that it leads to has shown it. */
export interface FormOutcomeTable {
  session_id: string;
  /** Of the page, without its query. */
  path: string;
  outcome: string;
  created_at: Date;
}

/** The tables of the console. */
export interface ConsoleTables extends AuditTables, ExportTables, SignInTables {
  person: PersonTable;
  membership: MembershipTable;
  session: SessionTable;
  form_outcome: FormOutcomeTable;
}
