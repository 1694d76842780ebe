import { Controller } from '@nestjs/common';
import type { Contract, ReplyOf, RequestOf } from '@pinkas/contracts';

/** A class that handles one contract. */
export interface HandlesContract<C extends Contract> {
  handle(request: RequestOf<C>): Promise<ReplyOf<C>>;
}

const contractKey = Symbol('pinkas:contract');

/**
 * Makes a class the handler of a contract: `handle` gets requests that match the schema, and what it returns or throws becomes the
 * reply (see `ContractHandler`).
 */
export function Operation<C extends Contract>(contract: C) {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor may take any dependencies.
  return <T extends new (...dependencies: any[]) => HandlesContract<C>>(target: T): void => {
    Controller()(target);
    Reflect.defineMetadata(contractKey, contract, target);
  };
}

/** The contract that a class handles, if it is an operation. */
export function contractOf(target: object): Contract | undefined {
  return Reflect.getMetadata(contractKey, target) as Contract | undefined;
}
