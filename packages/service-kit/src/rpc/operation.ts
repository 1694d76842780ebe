import type { Contract, ReplyOf, RequestOf } from '@pinkas/contracts';

/** The handler of the requests of a contract. */
export type Handles<C extends Contract> = (request: RequestOf<C>) => Promise<ReplyOf<C>>;

/** One operation of a class: a contract and the name of the method that handles it. */
interface BoundOperation {
  readonly contract: Contract;
  readonly method: string;
}

const operationsKey = Symbol('pinkas:operations');

/**
 * Makes a method of a controller the handler of a contract: it gets requests that match the schema, and what it returns or throws
 * becomes the reply (see `ContractHandler`). A method whose request or reply does not fit the contract does not compile.
 */
export function Operation<C extends Contract>(contract: C) {
  return <M extends Handles<C>>(target: object, method: string, _: TypedPropertyDescriptor<M>): void => {
    const operations: BoundOperation[] = [...operationsOf(target.constructor), { contract, method }];
    Reflect.defineMetadata(operationsKey, operations, target.constructor);
  };
}

function operationsOf(target: object): readonly BoundOperation[] {
  return (Reflect.getMetadata(operationsKey, target) as BoundOperation[] | undefined) ?? [];
}

/** The contracts that a class handles, inherited ones included. */
export function contractsOf(target: object): readonly Contract[] {
  return operationsOf(target).map(({ contract }) => contract);
}

/** Each contract that an instance handles, with its handler. */
export function handlersOf(instance: object): { contract: Contract; handle: Handles<Contract> }[] {
  return operationsOf(instance.constructor).map(({ contract, method }) => {
    const handle = (instance as Record<string, Handles<Contract>>)[method] as Handles<Contract>;
    return { contract, handle: (request) => handle.call(instance, request) };
  });
}
