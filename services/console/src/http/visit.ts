import type { Business, MemberRole } from '@pinkas/contracts';
import type { Language, Words } from '@pinkas/ui';
import type { Draft } from '../session/draft.repository.js';
import type { Membership, Session } from '../session/session.repository.js';
import type { NamedBusiness } from './business-names.js';

/** An uploaded file. */
export interface UploadedFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** A request for a page. */
export interface Visit {
  readonly method: 'GET' | 'POST';
  /** The path, without the query. */
  readonly path: string;
  /** The page of the form that was sent, as the browser says; empty for GET, and where it does not say. */
  readonly formPath: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the form that was sent; empty for GET. */
  readonly form: URLSearchParams;
  /** The files of the form, by the name of their field. */
  readonly files: Readonly<Record<string, UploadedFile>>;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  readonly language: Language;
  /** Words in the language of the visit. */
  t(words: Words): string;
  /** The client's address, or the /64 network of an IPv6 address. */
  readonly network: string;
  readonly userAgent: string;
  /** The token that every form of the reply has as `_csrf`. */
  readonly csrfToken: string;
  /** Null: no one is signed in. */
  readonly session: Session | null;
  readonly memberships: readonly Membership[];
  /** What the form that led here has done; null: none led here, or it was shown before. */
  readonly outcome: string | null;
}

/** A request of a signed-in person. */
export interface PersonVisit extends Visit {
  readonly session: Session;
}

/** A request for a page of one business, by a person who may use it. */
export interface MemberVisit extends PersonVisit {
  readonly role: MemberRole;
  readonly business: Business;
  /** Those that the person may go to from here; empty: they have this one alone. */
  readonly businesses: readonly NamedBusiness[];
  /** What issuing gets: the business, or its test book. */
  readonly book: Business;
  /** Of the settings of the business, as `updateBusiness` expects it. */
  readonly settingsVersion: string;
  /** The id of the book that the page is about: the business's own, or its test book's. */
  readonly bookId: string;
  readonly isTest: boolean;
  /** What the person has typed into the form of this page before; null: nothing. Absent where the form keeps none. */
  readonly typed?: Draft | null;
  /** The address of another page of this business, in the same book: `link('/documents')`. */
  link(path: string, query?: Readonly<Record<string, string | undefined>>): string;
}
