export {
  type BinaryName,
  findBinary,
  findPostgresFolder,
  type PostgresFolder,
  requireBinary,
} from './binaries.js';
export {
  type ChildExit,
  type ChildOptions,
  type RunningChild,
  type StopSignal,
  startChild,
} from './child-process.js';
export { lastLines } from './log-file.js';
export { startNats } from './nats.js';
export { type PostgresOptions, type RunningPostgres, startPostgres } from './postgres.js';
export { endProcess, identifyProcess, isAlive, type ProcessIdentity } from './process-identity.js';
export { startRedis } from './redis.js';
export { isPortFree, PortBusyError, type ReservedPort, reservePort } from './reserve-port.js';
export { type RunningServer, type ServerOptions, StartFailedError } from './server.js';
export { waitUntil } from './wait-until.js';
