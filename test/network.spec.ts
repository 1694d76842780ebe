import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as catalogue from '@pinkas/contracts';
import { consumerBindingOf } from '@pinkas/service-kit';
import { AllocationModule } from '../services/allocation/src/allocation.module.js';
import { CustomerModule } from '../services/customer/src/customer.module.js';
import { DeliveryModule } from '../services/delivery/src/delivery.module.js';
import { GatewayModule } from '../services/gateway/src/gateway.module.js';
import { IssuingModule } from '../services/issuing/src/issuing.module.js';
import { RenderingModule } from '../services/rendering/src/rendering.module.js';
import { type Source, sourcesBelow } from './sources.js';

const modules: Record<catalogue.ServiceName, object> = {
  gateway: GatewayModule,
  issuing: IssuingModule,
  customer: CustomerModule,
  rendering: RenderingModule,
  allocation: AllocationModule,
  delivery: DeliveryModule,
};

const exported = new Map<string, unknown>([
  ...Object.entries(catalogue),
  ...Object.entries(catalogue.auditing).map(
    ([service, one]) => [`${service} heads`, one.listChainHeads] as const,
  ),
]);

/** The contracts that a file names, by what it imports from the contracts package. */
function contractsIn(source: Source): catalogue.Contract[] {
  const statements = source.text.matchAll(/import\s+(?!type\b)\{([^}]*)\}\s+from\s+'@pinkas\/contracts'/g);
  const names = [...statements].flatMap((statement) => (statement[1] ?? '').split(','));
  if (names.some((name) => name.trim() === 'auditing')) {
    // Of every service, its own included.
    names.push(...Object.keys(catalogue.auditing).map((service) => `${service} heads`));
  }
  return catalogue.contracts.filter((contract) =>
    names.some((name) => exported.get(name.trim()) === contract),
  );
}

describe('the permissions on NATS are made of what the code does', () => {
  const sources = new Map<catalogue.ServiceName, Source[]>();
  beforeAll(async () => {
    for (const service of catalogue.serviceNames) {
      const all = await sourcesBelow(`services/${service}/src`);
      sources.set(
        service,
        all.filter((source) => !source.path.endsWith('.spec.ts')),
      );
    }
  });

  it.each(catalogue.serviceNames)('%s calls exactly the contracts it is declared to call', (service) => {
    const asked = (sources.get(service) ?? [])
      .filter((source) => /\.call\(/.test(source.text))
      .flatMap(contractsIn)
      .filter((contract) => contract.owner !== service);
    const subjects = (of: readonly catalogue.Contract[]) =>
      [...new Set(of)].map((item) => item.subject).sort();
    const allowed = catalogue.allowedCalls[service].filter((contract) => contract.owner !== service);
    expect(subjects(asked)).toEqual(subjects(allowed));
  });

  it.each(catalogue.serviceNames)('%s handles exactly the events it is declared to handle', (service) => {
    const consumed = ((Reflect.getMetadata('providers', modules[service]) ?? []) as unknown[])
      .filter((item): item is object => typeof item === 'function')
      .flatMap((item) => consumerBindingOf(item) ?? [])
      .map(({ event, durable }) => `${durable} ${event.subject}`);
    const declared = catalogue.consumerBindings
      .filter((binding) => binding.service === service)
      .map(({ event, durable }) => `${durable} ${event.subject}`);
    expect(declared.sort()).toEqual(consumed.sort());
  });

  it('only declared services watch the events of a document', () => {
    const watching = catalogue.serviceNames.filter((service) =>
      sources.get(service)?.some((source) => /\bEventWatch\b/.test(source.text)),
    );
    expect(watching).toEqual(catalogue.watchers);
  });
});
