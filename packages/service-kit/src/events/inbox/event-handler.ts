import { Injectable } from '@nestjs/common';
import type { ConsumerBinding, EventContract, EventOf } from '@pinkas/contracts';
import type { OutboxTransaction } from '../outbox/publish.js';

/**
 * A class that handles one event. `prepare` does what cannot be part of a transaction (a rendering, a call), and must be repeatable.
 * `handle` stores the effect in one transaction with the inbox row, so once, in the tenant scope of the event's business.
 * `committed` runs afterwards with the result of `handle`, and may be lost.
 */
export interface HandlesEvent<
  E extends EventContract,
  Tables = never,
  Prepared = unknown,
  Handled = unknown,
> {
  prepare?(event: EventOf<E>): Promise<Prepared>;
  handle(event: EventOf<E>, trx: OutboxTransaction<Tables>, prepared: Prepared): Promise<Handled>;
  committed?(event: EventOf<E>, handled: Handled): void;
}

const bindingKey = Symbol('pinkas:consumer-binding');

/** Makes a class the handler of the events of a consumer. */
export function EventHandler<E extends EventContract>(binding: ConsumerBinding<E>) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies; tables and preparation are its own.
  return <T extends new (...dependencies: any[]) => HandlesEvent<E, any, any, any>>(target: T): void => {
    Injectable()(target);
    Reflect.defineMetadata(bindingKey, binding, target);
  };
}

/** The consumer that a class handles, if it is an event handler. */
export function consumerBindingOf(target: object): ConsumerBinding | undefined {
  return Reflect.getMetadata(bindingKey, target) as ConsumerBinding | undefined;
}
