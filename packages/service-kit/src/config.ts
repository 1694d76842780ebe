/** The configuration of a process, read from its environment. */
export {
  ConfigError,
  type ConfigOf,
  type Environment,
  environmentOf,
  httpServerFields,
  migrationFields,
  processEnvironment,
  provisioningFields,
  readConfig,
  readEnvironment,
  type ServiceConfig,
  serviceFields,
} from './process/config.js';
export {
  choice,
  type EnvField,
  flag,
  hexBytes,
  integer,
  isOnThisMachine,
  text,
  url,
} from './process/env-field.js';
