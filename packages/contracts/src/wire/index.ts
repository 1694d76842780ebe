export * from './wire-compatibility.js';
export * from './wire-schemas.js';
