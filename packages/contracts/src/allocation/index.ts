export * from './allocation.js';
export * from './by-hand.js';
export * from './connection.js';
export * from './donation.js';
export * from './probe.js';
export * from './refusal.js';
export * from './test-book.js';
export * from './transmission.js';
