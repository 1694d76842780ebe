export * from './databases.js';
export * from './eventually.js';
export * from './examples.js';
export * from './network.js';
export * from './servers.js';
export * from './service-under-test.js';
export * from './signing-certificate.js';
export * from './stand-ins.js';
