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
  /** Each form of a business states it; the page of a form may, so that no one fills in what is refused. */
  readonly changes?: Changes;
  /** Whether the person must have proved who they are within the last minutes. */
  readonly freshProof?: boolean;
  /** What its form may hold, where that is more than most may. */
  readonly form?: FormLimits;
  /** Whether its form has files. */
  readonly files?: boolean;
  /** Whether what is typed into its form is kept until the form has done its work; the page that shows the form and that which takes it state it. */
  readonly draft?: boolean;
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

type PageMethod<V extends Visit> = (visit: V) => Promise<PageReply>;

/** What the pages of a controller have in common, unless one states something else. */
type SharedBinding<A extends Access> = Pick<PageBinding, 'books' | 'freshProof'> & {
  readonly access: A;
  /** What the paths of its pages begin with. */
  readonly path?: string;
};

/** What a page adds to what its controller states. */
type OwnBinding = Partial<PageBinding> & Pick<PageBinding, 'method'>;

/** What a method may get. A form that does not state what it changes gets no business. */
type OwnVisit<B extends OwnBinding> = B extends { readonly method: 'GET' } | { readonly changes: Changes }
  ? VisitOf<B extends { readonly access: infer A extends Access } ? A : 'owner'>
  : B extends { readonly access: 'anyone' }
    ? Visit
    : PersonVisit;

/** A page, and the method that handles it. */
export type BoundPage<A extends Access = Access> = A extends Access
  ? PageBinding & { readonly access: A; readonly handle: PageMethod<VisitOf<A>> }
  : never;

const ownKey = Symbol('pinkas:own-bindings');
const pagesKey = Symbol('pinkas:console-pages');

/** Makes a method of a controller a page. */
export function ConsolePage<const B extends OwnBinding>(binding: B) {
  return <M extends PageMethod<OwnVisit<B>>>(
    target: object,
    name: string,
    _method: TypedPropertyDescriptor<M>,
  ): void => {
    const others = Reflect.getOwnMetadata(ownKey, target) as object | undefined;
    Reflect.defineMetadata(ownKey, { ...others, [name]: binding }, target);
  };
}

/** Makes a class the controller of pages: each public method is one, and takes the visit that the access gives. */
export function PageController<A extends Access>(shared: SharedBinding<A>) {
  return <C extends { readonly [Name in keyof C]: PageMethod<VisitOf<A>> }>(
    // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies.
    target: new (...dependencies: any[]) => C,
  ): void => {
    Injectable()(target);
    const own = (Reflect.getOwnMetadata(ownKey, target.prototype) ?? {}) as Record<string, OwnBinding>;
    const bindings = Object.getOwnPropertyNames(target.prototype)
      .filter((name) => name !== 'constructor')
      .map((name) => [name, complete(shared, own[name], `${target.name}.${name}`)] as const);
    Reflect.defineMetadata(pagesKey, new Map(bindings), target);
  };
}

/** @throws what the types cannot see. */
function complete(shared: SharedBinding<Access>, own: OwnBinding | undefined, method: string): PageBinding {
  if (!own) {
    throw new Error(`${method} needs @ConsolePage, or a # before its name`);
  }
  const path = `${shared.path ?? ''}${own.path ?? ''}` || '/';
  const { books, freshProof, ...binding } = { ...shared, ...own, path };
  if (isOfBusiness(binding.access) && own.method === 'POST' && own.changes === undefined) {
    throw new Error(`${method} has to state what its form changes`);
  }
  return { ...binding, ...(books && { books }), ...(freshProof && { freshProof }) };
}

/** Whether a page is of one business, and below its path. */
export const isOfBusiness = (access: Access): boolean => access !== 'anyone' && access !== 'person';

/** The addresses of a page, in each book that it is served for; `business` and `pathOf` fill in what is a parameter. */
export function pathsOf(
  { access, path, books }: PageBinding,
  business = ':business',
  pathOf: (path: string) => string = String,
): string[] {
  const filled = pathOf(path);
  if (!isOfBusiness(access)) {
    return [filled];
  }
  const below = filled === '/' ? '' : filled;
  return [`/b/${business}${below}`, ...(books ? [`/t/${business}${below}`] : [])];
}

/** What the pages of a class are bound to, by the names of their methods. */
const boundMethodsOf = (target: object) =>
  Reflect.getOwnMetadata(pagesKey, target) as ReadonlyMap<string, PageBinding> | undefined;

/** Where the pages of a class are served; none where it is no controller. */
export const pageBindingsOf = (target: object): readonly PageBinding[] => [
  ...(boundMethodsOf(target)?.values() ?? []),
];

/** The pages of a controller; none where it is another object. */
export const pagesOf = (controller: object): readonly BoundPage[] =>
  [...(boundMethodsOf(controller.constructor) ?? [])].map(([name, binding]) => {
    const handle: PageMethod<never> = (visit) => Reflect.get(controller, name).call(controller, visit);
    // The decorators have compared the method with the access.
    return { ...binding, handle } as BoundPage;
  });
