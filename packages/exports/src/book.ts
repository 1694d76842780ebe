/** The book page after page, and sums of files: for programs that write exports, and for those that check them. */
export { type BookPage, type BookRange, bookPages } from './book-pages.js';
export { readSums, sha256Of, sumsFile, writeSums } from './checksums.js';
export { bookEndFile, readBookEnd } from './uniform/book-end.js';
