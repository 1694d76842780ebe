import { Injectable } from '@nestjs/common';
import type { EventContract, EventOf } from '@pinkas/contracts';
import type { Transaction } from 'kysely';

/**
 * A class that handles one event. `prepare` does what cannot be part of a transaction (a rendering, a call): it may run
 * more than once, so it must be repeatable. `handle` stores the effect; it runs in one transaction with the inbox row, so
 * it takes effect once, and sees the rows of the event's business only (`prepare` chooses for itself what it sees).
 * `committed` runs after that with what `handle` returned, and may be lost.
 */
export interface Consumes<E extends EventContract, Tables = never, Prepared = unknown, Handled = unknown> {
  prepare?(event: EventOf<E>): Promise<Prepared>;
  handle(event: EventOf<E>, trx: Transaction<Tables>, prepared: Prepared): Promise<Handled>;
  committed?(event: EventOf<E>, handled: Handled): void;
}

/** What a class consumes: an event, under a durable name. */
export interface Consumption {
  readonly event: EventContract;
  readonly durable: string;
}

const eventKey = Symbol('pinkas:event');

/** Makes a class the consumer of an event, under a durable name that must never change. */
export function Consumer<E extends EventContract>(event: E, durable: string) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies; tables and preparation are its own.
  return <T extends new (...dependencies: any[]) => Consumes<E, any, any, any>>(target: T): void => {
    Injectable()(target);
    Reflect.defineMetadata(eventKey, { event, durable }, target);
  };
}

/** What a class consumes, if it is a consumer. */
export function consumptionOf(target: object): Consumption | undefined {
  return Reflect.getMetadata(eventKey, target) as Consumption | undefined;
}
