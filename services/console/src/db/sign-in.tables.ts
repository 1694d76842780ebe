import type { Language } from '@pinkas/ui';
import type { ColumnType } from 'kysely';

export type NoticeKind = 'sign_in' | 'invitation' | 'departure' | 'package' | 'package_failed';

export interface DueNoticeTable {
  /** The id of the mail. */
  id: string;
  kind: NoticeKind;
  email: string;
  /** Of the cookie of the browser that asked; null: no browser did. */
  browser_hash: Buffer | null;
  /** Null: a link to sign in. */
  business_id: string | null;
  /** The address of the person who has left the business; null: it is no notice of that. */
  left_email: string | null;
  /** The month of the accountant's files, by its first day; null: it is no notice of them. */
  package_month: string | null;
  next_path: string;
  language: Language;
  request_id: string | null;
  requested_at: Date;
  attempts: number;
  next_attempt_at: Date;
  claimed_until: Date | null;
}

export interface SignInLinkTable {
  /** Of the token in the link, which is stored nowhere. */
  token_hash: Buffer;
  person_id: string;
  /** The mail that has the link; null: an operator handed it over. */
  notice_id: string | null;
  /** Of the cookie of the browser that asked; null: no browser did. */
  browser_hash: Buffer | null;
  next_path: string;
  expires_at: Date;
  used_at: Date | null;
}

export type CeremonyKind = 'oidc' | 'passkey' | 'new_passkey';

/** A proof that has begun. */
export interface CeremonyTable {
  /** Of the challenge of a passkey, or the state of OpenID Connect. */
  challenge_hash: Buffer;
  kind: CeremonyKind;
  browser_hash: Buffer;
  /** Null: nobody was signed in. */
  person_id: string | null;
  nonce: string | null;
  code_verifier: string | null;
  next_path: string;
  expires_at: Date;
}

export interface PasskeyTable {
  id: string;
  person_id: string;
  credential_id: string;
  public_key: Buffer;
  /** pg returns a bigint as text. */
  counter: ColumnType<string, number | string, number | string>;
  transports: string[];
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

export interface AttemptCountTable {
  kind: string;
  bucket: number;
  attempts: number;
  ends_at: Date;
}

/** The tables of signing in. */
export interface SignInTables {
  due_notice: DueNoticeTable;
  sign_in_link: SignInLinkTable;
  ceremony: CeremonyTable;
  passkey: PasskeyTable;
  attempt_count: AttemptCountTable;
}
