import { isTestBook } from '@pinkas/domain';

/** Whether the documents of a book may be deleted: nothing is said of it that must stay true, and what is missing is no error. */
export const mayBeEmptied = (bookId: string): boolean => isTestBook(bookId);
