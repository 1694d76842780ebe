import {
  type DynamicModule,
  Global,
  type INestApplicationContext,
  type LoggerService,
  Module,
  type Type,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Logger } from '../process/logger.js';

/** The values that the kit provides, by injection token. */
interface KitProvider {
  readonly provide: symbol | Type;
  readonly useValue: unknown;
}

/** The module of what every process has. */
@Global()
@Module({})
export class KitModule {}

/** The providers of the kit, visible in every module of the process, and the operations that every service has. */
export function kitModule(providers: readonly KitProvider[], controllers: readonly Type[]): DynamicModule {
  return {
    module: KitModule,
    providers: [...providers],
    controllers: [...controllers],
    exports: providers.map((provider) => provider.provide),
  };
}

/** All controllers and providers of an application. */
export function* instancesOf(app: INestApplicationContext): Generator<object> {
  for (const module of app.get(ModulesContainer).values()) {
    for (const wrapper of [...module.controllers.values(), ...module.providers.values()]) {
      const instance: unknown = wrapper.instance;
      if (typeof instance === 'object' && instance !== null) {
        yield instance;
      }
    }
  }
}

/** Nest logs its wiring; only errors and warnings are of interest. */
export function nestLogger(logger: Logger): LoggerService {
  return {
    log: () => {},
    warn: (message: unknown) => logger.warn({ nest: message }, 'nest warning'),
    error: (message: unknown) =>
      logger.error(message instanceof Error ? { err: message } : { nest: message }, 'nest error'),
  };
}
