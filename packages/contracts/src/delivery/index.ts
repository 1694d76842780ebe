export * from '../schema/message.js';
export * from './message.js';
export * from './notice.js';
export * from './reminder.js';
export * from './statement.js';
export * from './suppression.js';
export * from './test-book.js';
export * from './webhook.js';
