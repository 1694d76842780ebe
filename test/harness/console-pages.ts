import { ConsoleModule } from '@pinkas/console/module';
import { type PageBinding, pageBindingsOf, pathsOf } from '@pinkas/console/page';

/** Every page and form of the console: one that is added later is tested without another line. */
export const consolePages: readonly PageBinding[] = (
  (Reflect.getMetadata('providers', ConsoleModule) ?? []) as object[]
).flatMap((provider) => (typeof provider === 'function' ? pageBindingsOf(provider) : []));

/** What leads elsewhere, is a file, or a part of another page. */
const noPages = new Set([
  '/documents/:id/pdf',
  '/exports/:id/file',
  '/exports/:id/report/pdf',
  '/exports/monthly/:period/file',
  '/customers/:id/statement/pdf',
  '/customers/:id/statement/csv',
  '/reports/pdf',
  '/reports/csv',
  '/reports/withheld/csv',
  '/trail/csv',
  '/sign-in/oidc',
  '/sign-in/oidc/callback',
  '/authority/connected/:business',
  // In the frame of another page.
  '/business/preview',
  // Of an institution, whose page is opened after the others.
  '/documents/:id/cancel-donation',
  // Leads to the choice of a type; its forms are in issuing.ts.
  '/issue/document',
  '/issue/customers',
]);

/** Every page that a person looks at. */
export const shownPages = consolePages.filter(({ method, path }) => method === 'GET' && !noPages.has(path));

/** The addresses of a page, in each book that it is served for, with what its path asks for, from the first parameter to the last. */
export const addressesOf = (
  page: PageBinding,
  businessId: string,
  ids: Readonly<Record<string, string>>,
): string[] =>
  // The documents of a test are in the live book.
  pathsOf({ ...page, books: page.books === true && !page.path.includes(':') }, businessId, (path) =>
    path.replace(/:[a-z]+(?:.*:[a-z]+)?/i, ids[path] ?? 'missing'),
  );
