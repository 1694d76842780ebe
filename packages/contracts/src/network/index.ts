export * from './allowed-calls.js';
export * from './consumer-bindings.js';
export * from './permissions.js';
export * from './server-configuration.js';
