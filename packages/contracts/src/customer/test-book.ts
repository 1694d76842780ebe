import { defineTestBookClear } from '../test-book.js';

export const clearTestCustomers = defineTestBookClear('customer');
