import type { ErrorCode } from '@pinkas/contracts';
import type { ApiError } from '@pinkas/service-kit';
import type { Language } from '@pinkas/ui';
import type { PageReply } from './console-page.js';
import type { MemberVisit, Visit } from './visit.js';

/** A request that no page handles: why, for the page in its place. */
export type Rejection =
  /** An expected error, a path without a page, a page of owners, or of those who issue. */
  | ApiError
  | 'not_found'
  | 'owner_only'
  | 'issuer_only'
  /** A form without a valid token; one that is larger than it may be, or its file, or came too slowly; a process without a place for it. */
  | 'stale_form'
  /** An address with something else where a date, a period or a number belongs. */
  | 'wrong_address'
  | 'too_large'
  | 'file_too_large'
  | 'too_slow'
  | 'busy';

/** What every page is shown in, and the pages in place of those that cannot be shown. The pipeline receives it. */
export abstract class PageFrame {
  /** Where a person signs in. */
  abstract readonly signInPath: string;

  /** The complete page: what the reply shows, with head and menu. */
  abstract frame(reply: Extract<PageReply, { kind: 'html' }>, visit: Visit | MemberVisit): string;

  /** The page in place of one that is rejected or has failed. @param formPath of the page whose form it is; empty: not known. */
  abstract rejected(rejection: Rejection, language: Language, formPath?: string): PageReply;

  /** The page in place of a change that the state of the business, or the kill switch, refuses. */
  abstract refused(code: ErrorCode, language: Language): PageReply;
}
