import type { AsGenerated, Typed } from '@pinkas/service-kit';
import type { Language } from '@pinkas/ui';
import type { GeneratedTables } from './generated.tables.js';

type NoticeKind = 'sign_in' | 'invitation' | 'departure' | 'package' | 'package_failed';

export type CeremonyKind = 'oidc' | 'passkey' | 'new_passkey';

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnSignInTables {
  /**
   * An email to a person, until delivery has it.
   * - `id`: The id of the email.
   * - `browser_hash`: Of the cookie of the browser that asked; null: no browser did.
   * - `business_id`: Null: a link to sign in.
   * - `left_email`: The address of the person who has left the business; null: it is no notice of that.
   * - `package_month`: The first month of the accountant's files, by its first day; null: it is no notice of them.
   */
  due_notice: {
    kind: NoticeKind;
    language: Language;
  };
  /**
   * A link to sign in.
   * - `token_hash`: Of the token in the link, which is stored nowhere.
   * - `notice_id`: The email that has the link; null: an operator handed it over.
   * - `browser_hash`: Of the cookie of the browser that asked; null: no browser did.
   */
  sign_in_link: AsGenerated;
  /**
   * A proof that has begun.
   * - `challenge_hash`: Of the challenge of a passkey, or the state of OpenID Connect.
   * - `person_id`: Null: no one was signed in.
   */
  ceremony: {
    kind: CeremonyKind;
  };
  /** A passkey of a person. */
  passkey: AsGenerated;
  /** How often something was attempted. The bucket is a keyed hash of an address or a network. */
  attempt_count: AsGenerated;
}

/** The tables of signing in. */
export interface SignInTables extends Typed<GeneratedTables, OwnSignInTables> {}

export type DueNoticeTable = SignInTables['due_notice'];
export type SignInLinkTable = SignInTables['sign_in_link'];
export type CeremonyTable = SignInTables['ceremony'];
export type PasskeyTable = SignInTables['passkey'];
