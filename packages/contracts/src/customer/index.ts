export * from './card.js';
export * from './test-book.js';
