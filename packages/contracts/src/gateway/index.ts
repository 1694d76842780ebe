export * from './api-key.js';
export * from './business.js';
export * from './kill-switch.js';
export * from './request-log.js';
