import 'reflect-metadata';
import type { ServiceName } from '@pinkas/contracts';
import { AllocationModule } from '../../services/allocation/src/allocation.module.js';
import { ConsoleModule } from '../../services/console/src/console.module.js';
import { CustomerModule } from '../../services/customer/src/customer.module.js';
import { DeliveryModule } from '../../services/delivery/src/delivery.module.js';
import { GatewayModule } from '../../services/gateway/src/gateway.module.js';
import { IssuingModule } from '../../services/issuing/src/issuing.module.js';
import { RenderingModule } from '../../services/rendering/src/rendering.module.js';

const modules: Record<ServiceName, object> = {
  gateway: GatewayModule,
  issuing: IssuingModule,
  customer: CustomerModule,
  rendering: RenderingModule,
  allocation: AllocationModule,
  delivery: DeliveryModule,
  console: ConsoleModule,
};

/** The classes that the module of a service names, and those that the modules name which it imports. */
export function classesOf(service: ServiceName): object[] {
  const named = (key: string, module: object) => (Reflect.getMetadata(key, module) ?? []) as unknown[];
  const isClass = (item: unknown): item is object => typeof item === 'function';
  const all = new Set([modules[service]]);
  for (const module of all) {
    for (const imported of named('imports', module).filter(isClass)) {
      all.add(imported);
    }
  }
  return [...all]
    .flatMap((module) => [...named('controllers', module), ...named('providers', module)])
    .filter(isClass);
}
