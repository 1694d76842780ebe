/** The configuration of a process, read from its environment. */
export {
  ConfigError,
  type ConfigOf,
  type EnvField,
  flag,
  hexBytes,
  httpServerFields,
  integer,
  isOnThisMachine,
  migrationFields,
  provisioningFields,
  readConfig,
  readEnvironment,
  type ServiceConfig,
  serviceFields,
  text,
  url,
} from './process/config.js';
