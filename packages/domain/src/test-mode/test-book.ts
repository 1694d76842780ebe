/*
 * A business has two books: the live one, under the id of the business, and a test book, under an id that is made of it. The
 * version of the UUID states which is which (ADR 0051), so that neither code nor SQL can miss it.
 */

/** Whether a document counts. */
export const modes = ['live', 'test'] as const;
export type Mode = (typeof modes)[number];

/** The position of the version in a UUID. */
const versionIndex = 14;
const liveVersion = '4';
/** Of a custom UUID (RFC 9562, 5.8). */
const testVersion = '8';

const withVersion = (id: string, version: string): string =>
  `${id.slice(0, versionIndex)}${version}${id.slice(versionIndex + 1)}`;

/** Whether an id is that of a test book. */
export const isTestBook = (businessId: string): boolean => businessId[versionIndex] === testVersion;

/** Whether the documents of a book may be deleted: no statement about it must stay true, and what is missing is no error. */
export const mayBeEmptied = (bookId: string): boolean => isTestBook(bookId);

/** The id of the test book of a business. */
export const testBookOf = (businessId: string): string => withVersion(businessId, testVersion);

/** The test book of a business: it shares the settings, and nothing else. Its series begin with 1. */
export const testBook = <B extends { readonly id: string; readonly first_numbers: object }>(
  business: B,
): B => ({ ...business, id: testBookOf(business.id), first_numbers: {} });

/** The id of the business that a book, live or test, belongs to: its settings, keys and logo are there. */
export const businessOfBook = (bookId: string): string =>
  isTestBook(bookId) ? withVersion(bookId, liveVersion) : bookId;

/** Which of its two books an id is of. */
export const modeOfBook = (bookId: string): Mode => (isTestBook(bookId) ? 'test' : 'live');
