export * from './email-address.js';
export * from './pasted.js';
export * from './text.js';
export * from './typed-number.js';
