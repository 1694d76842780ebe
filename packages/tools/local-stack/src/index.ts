export { type Replacements, readConfig, repositoryRoot, type StackConfig } from './config.js';
export { databaseConnectionsMax } from './database-connections.js';
export { type Home, openHome, readJson } from './home.js';
export { type Stack, startStack } from './stack.js';
export type { Demo, StackFile } from './stack-file.js';
