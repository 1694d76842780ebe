export * from './asks.js';
export * from './consumptions.js';
export * from './permissions.js';
export * from './server-configuration.js';
