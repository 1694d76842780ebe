import { Inject } from '@nestjs/common';

/** Injection tokens of what the kit provides. */
const tokens = {
  database: Symbol('pinkas:database'),
  clock: Symbol('pinkas:clock'),
  logger: Symbol('pinkas:logger'),
  config: Symbol('pinkas:config'),
} as const;
export const kitTokens = tokens;

/** The service's own database. */
export const InjectDatabase = () => Inject(tokens.database);
/** The clock. */
export const InjectClock = () => Inject(tokens.clock);
/** The process's logger. */
export const InjectLogger = () => Inject(tokens.logger);
/** The service's configuration. */
export const InjectConfig = () => Inject(tokens.config);
