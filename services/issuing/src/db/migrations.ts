import type { Migrations } from '@pinkas/service-kit/schema';
import { initial } from './0001-initial.js';
import { seriesAdvanceWithTheirDocuments } from './0002-series-advance-with-their-documents.js';
import { chains } from './0003-chains.js';
import { clearableTestBooks } from './0004-clearable-test-books.js';
import { filtersOfTheConsole } from './0005-filters-of-the-console.js';

/** In order; a released migration never changes. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-series-advance-with-their-documents': seriesAdvanceWithTheirDocuments,
  '0003-chains': chains,
  '0004-clearable-test-books': clearableTestBooks,
  '0005-filters-of-the-console': filtersOfTheConsole,
};
