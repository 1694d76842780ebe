import { defineTestBookClear } from '../test-book.js';

export const clearTestDocuments = defineTestBookClear('issuing');
