import { defineTestBookClear } from '../test-book.js';

export const clearTestArtifacts = defineTestBookClear('rendering');
