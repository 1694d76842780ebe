import { beforeAll, describe, expect, it } from '@jest/globals';
import * as catalogue from '@pinkas/contracts';
import { consumerBindingOf } from '@pinkas/service-kit';
import { classesOf } from '../harness/service-modules.js';
import { type Source, sourcesBelow } from '../harness/sources.js';

const exported = new Map<string, unknown>([
  ...Object.entries(catalogue),
  ...Object.entries(catalogue.trails).flatMap(([service, ofService]) =>
    Object.entries(ofService).map(([member, contract]) => [`${service}.${member}`, contract] as const),
  ),
]);

/** The contracts of the trails that a file reads from `trails`, of every service, its own included. */
function auditingIn(text: string): string[] {
  return Object.entries(catalogue.trails).flatMap(([service, ofService]) =>
    Object.keys(ofService)
      .filter((member) => new RegExp(`\\b${member}\\b`).test(text))
      .map((member) => `${service}.${member}`),
  );
}

/** The client through which a service calls others. */
const packagesThatCall: Partial<Record<catalogue.ServiceName, readonly string[]>> = {
  console: ['packages/exports/src'],
};

/** The contracts that a file names, by what it imports from the contracts package. */
function contractsIn(source: Source): catalogue.Contract[] {
  const statements = source.text.matchAll(/import\s+(?!type\b)\{([^}]*)\}\s+from\s+'@pinkas\/contracts'/g);
  const names = [...statements].flatMap((statement) => (statement[1] ?? '').split(','));
  if (names.some((name) => name.trim() === 'trails')) {
    names.push(...auditingIn(source.text));
  }
  return catalogue.contracts.filter((contract) =>
    names.some((name) => exported.get(name.trim()) === contract),
  );
}

describe('the permissions on NATS are made of what the code does', () => {
  const sources = new Map<catalogue.ServiceName, Source[]>();
  beforeAll(async () => {
    for (const service of catalogue.serviceNames) {
      const folders = [`services/${service}/src`, ...(packagesThatCall[service] ?? [])];
      const all = (await Promise.all(folders.map(sourcesBelow))).flat();
      sources.set(
        service,
        all.filter((source) => !source.path.endsWith('.spec.ts')),
      );
    }
  });

  it.each(catalogue.serviceNames)('%s calls exactly the contracts it is declared to call', (service) => {
    const asked = (sources.get(service) ?? [])
      .filter((source) => /\bcall\(/.test(source.text))
      .flatMap(contractsIn)
      .filter((contract) => contract.owner !== service);
    const subjects = (of: readonly catalogue.Contract[]) =>
      [...new Set(of)].map((item) => item.subject).sort();
    const allowed = catalogue.allowedCalls[service].filter((contract) => contract.owner !== service);
    expect(subjects(asked)).toEqual(subjects(allowed));
  });

  it.each(catalogue.serviceNames)('%s handles exactly the events it is declared to handle', (service) => {
    const consumed = classesOf(service)
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
