export * from './generated-files.js';
export * from './openapi-file.js';
export * from './wire-compatibility.js';
export * from './wire-record.js';
