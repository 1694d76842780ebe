import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { Markup } from '@pinkas/ui';
import type { FormLimits } from './form-limits.js';
import type { MemberVisit, PersonVisit, Visit } from './visit.js';

/**
 * Who may request a page: anyone, a signed-in person, a member of the business in the path, one who issues documents (an issuer
 * or an owner), an owner.
 */
export type Access = 'anyone' | 'person' | 'reader' | 'issuer' | 'owner';

/**
 * What a page of a business changes, and so which states of the business and of the kill switch stop it, as in the HTTP API:
 * `issues` a document, another part of the `book`, the `settings`, which may also complete a profile; `nothing` of these, such as
 * an export, a person, or a permission that is taken away.
 */
export type Changes = 'issues' | 'book' | 'settings' | 'nothing';

/** Where a page is served, and to whom. */
export interface PageBinding {
  readonly method: 'GET' | 'POST';
  /**
   * With `:name` parameters. For `reader`, `issuer` and `owner` the path below that of the business: `/documents` becomes
   * `/b/:business/documents`.
   */
  readonly path: string;
  readonly access: Access;
  /** Whether it is served for the test book as well, below `/t/:business`. */
  readonly books?: boolean;
  /** Each form of a business says it; the page of a form may, so that nobody fills in what is refused. */
  readonly changes?: Changes;
  /** Whether the person must have proved who they are within the last minutes. */
  readonly freshProof?: boolean;
  /** What its form may hold, where that is more than most may. */
  readonly form?: FormLimits;
  /** Whether its form has files. */
  readonly files?: boolean;
  /** How long the person waits at most, in milliseconds; that of other pages where it is absent. */
  readonly timeoutMs?: number;
}

/** A cookie that a reply sets. Every cookie is HttpOnly, SameSite=Lax, and Secure where the console has HTTPS. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** Absent: until the browser ends. 0: removed. */
  readonly maxAgeSeconds?: number;
}

/** What a handler returns. */
export type PageReply = (
  | {
      readonly kind: 'html';
      readonly status: number;
      readonly title: string;
      readonly body: Markup;
      /** When it is of use to ask again, for the status 429. */
      readonly retryAfterSeconds?: number;
    }
  | {
      readonly kind: 'redirect';
      readonly location: string;
      /** What was done, by a name that the page at the location knows: it shows it once. */
      readonly outcome?: string | undefined;
    }
  | { readonly kind: 'json'; readonly status: number; readonly value: unknown }
  | {
      readonly kind: 'file';
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Buffer | string | AsyncIterable<Buffer>;
    }
) & { readonly cookies?: readonly SetCookie[] };

/** A page in the frame of the console. */
export function page(title: string, body: Markup, status = 200): PageReply {
  return { kind: 'html', status, title, body };
}

/** Leads to another page of the console, by GET: a form that was sent is not sent again by a reload. */
export function redirect(
  location: string,
  { cookies = [], outcome }: { readonly cookies?: readonly SetCookie[]; readonly outcome?: string } = {},
): PageReply {
  return { kind: 'redirect', location, cookies, outcome };
}

type VisitOf<A extends Access> = A extends 'anyone' ? Visit : A extends 'person' ? PersonVisit : MemberVisit;

/** A class that handles one page. */
export interface PageHandler<A extends Access = Access> {
  handle(visit: VisitOf<A>): Promise<PageReply>;
}

const pageKey = Symbol('pinkas:console-page');

/** A binding of a form of a business has to say what it changes. */
type CheckedBinding<A extends Access> = PageBinding & { readonly access: A } & (A extends
    | 'reader'
    | 'issuer'
    | 'owner'
    ? { readonly method: 'GET' } | { readonly method: 'POST'; readonly changes: Changes }
    : unknown);

/** Makes a class the handler of a page. */
export function ConsolePage<const A extends Access>(binding: CheckedBinding<A>) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies.
  return <T extends new (...dependencies: any[]) => PageHandler<A>>(target: T): void => {
    Injectable()(target);
    Reflect.defineMetadata(pageKey, binding, target);
  };
}

/** The page that a class handles, if it handles one. */
export function pageBindingOf(target: object): PageBinding | undefined {
  return Reflect.getMetadata(pageKey, target) as PageBinding | undefined;
}
