import { beforeAll, describe, expect, it } from '@jest/globals';
import * as catalogue from '@pinkas/contracts';
import { consumerBindingOf, contractsOf, messagingOperations, trailOperations } from '@pinkas/service-kit';
import { diagnosisOperations } from '@pinkas/service-kit/diagnosis';
import { routeBindingOf } from '../../services/gateway/src/http/http-route.js';
import { classesOf } from '../harness/service-modules.js';
import { type Source, sourcesBelow } from '../harness/sources.js';

/** Under what name a record holds a value. */
function nameIn(record: object, value: object): string | undefined {
  return Object.entries(record).find(([, held]) => held === value)?.[0];
}

/** Under what name the contracts that the kit handles for every service hold a contract; undefined where it is none of them. */
function nameInKit(contract: catalogue.Contract): string | undefined {
  const { trails, diagnosing, messaging } = catalogue;
  const records = [messaging, trails, diagnosing].flatMap((held) => Object.values<object>(held));
  return records.flatMap((record) => nameIn(record, contract) ?? [])[0];
}

/** Facts for the outside, which no service handles. */
const handledByNone: readonly catalogue.EventContract[] = [
  // The record of what the database has committed.
  catalogue.documentIssued,
  // The request that has issued watches it pass.
  catalogue.customerRecorded,
  catalogue.messageSent,
  catalogue.messageFailed,
];

describe('the catalogue', () => {
  const tests = new Map<catalogue.ServiceName, Source[]>();
  let kitTests: Source[];
  beforeAll(async () => {
    kitTests = await sourcesBelow('packages/service-kit/test');
    for (const service of catalogue.serviceNames) {
      tests.set(service, await sourcesBelow(`services/${service}/test`));
    }
  });

  it.each(catalogue.contracts.map((contract) => [contract.subject, contract] as const))(
    'the contract %s is handled once, by its owner',
    (_subject, contract) => {
      // What the kit starts in a service automatically counts like what its module names.
      const handlers = catalogue.serviceNames.flatMap((service) =>
        [
          ...classesOf(service),
          ...messagingOperations(service),
          ...trailOperations(service),
          ...diagnosisOperations(service),
        ]
          .flatMap(contractsOf)
          .filter((handled) => handled === contract)
          .map(() => service),
      );
      expect(handlers).toEqual([contract.owner]);
    },
  );

  it('a call that stores something is sent again after a lost connection only where equal requests are handled once', () => {
    const reading =
      /\.(audit|check|draft|find|get|list|match|preview|print|read|render|review|search|show|sum|summarize)(_\w+)?\.v1$/;
    const repeated = catalogue.contracts.filter(
      ({ subject, isRepeatable }) => isRepeatable && !reading.test(subject),
    );
    expect(repeated.map(({ subject }) => subject).toSorted()).toEqual([
      // Of a document that was released or resolved before, the same again.
      'rpc.customer.card.release.v1',
      'rpc.customer.card.resolve.v1',
      // A key has one document.
      'rpc.issuing.document.issue.v1',
      // Reads.
      'rpc.issuing.period.report.v1',
      // An id of the act sets off, or records what was withheld, once.
      'rpc.issuing.set_off.add.v1',
      'rpc.issuing.withheld.add.v1',
    ]);
  });

  it.each(catalogue.contracts.map((contract) => [contract.subject, contract] as const))(
    'the contract %s is tested by its owner',
    (_subject, contract) => {
      const ofKit = nameInKit(contract);
      const name = ofKit === undefined ? nameIn(catalogue, contract) : `contracts\\.${ofKit}`;
      const calls = new RegExp(`\\b(?:ask|call)\\(\\s*${name}\\b`);
      const own = ofKit === undefined ? (tests.get(contract.owner) ?? []) : kitTests;
      expect(own.some((source) => calls.test(source.text))).toBe(true);
    },
  );

  it.each(catalogue.publicRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'the route %s is bound once, in the gateway',
    (_name, route) => {
      const bound = classesOf('gateway').filter((candidate) => routeBindingOf(candidate)?.route === route);
      expect(bound).toHaveLength(1);
    },
  );

  it.each(catalogue.events.map((event) => [event.subject, event] as const))(
    'the event %s has a handler',
    (_subject, event) => {
      const consumers = catalogue.serviceNames.flatMap((service) =>
        classesOf(service).filter((candidate) => consumerBindingOf(candidate)?.event === event),
      );
      expect(consumers.length > 0).toBe(!handledByNone.includes(event));
    },
  );

  it('every consumer has a durable name of its own', () => {
    const names = catalogue.serviceNames.flatMap((service) =>
      classesOf(service).flatMap((candidate) => consumerBindingOf(candidate)?.durable ?? []),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('every error code has messages in both languages, and server errors are retryable', () => {
    for (const entry of Object.values<catalogue.ErrorEntry>(catalogue.errorCatalogue)) {
      expect(entry.message).toMatch(/^\S.*\.$/);
      expect(entry.messageHe).toMatch(/[\u0590-\u05ff]/);
      if (entry.httpStatus >= 500) {
        expect(entry.retryable).toBe(true);
      }
    }
  });

  it('each controller of pages is in the module of the console', async () => {
    const declared = (await sourcesBelow('services/console/src'))
      .filter(({ path }) => !path.endsWith('.spec.ts'))
      .flatMap(({ text }) => [
        ...text.matchAll(/@PageController\([^)]*\)\s*(?:@\w+\([^)]*\)\s*)*export class (\w+)/g),
      ])
      .map(([, name = '']) => name);
    expect(declared.length).toBeGreaterThan(30);
    const listed = new Set(classesOf('console').map((controller) => (controller as { name: string }).name));
    expect(declared.filter((name) => !listed.has(name))).toEqual([]);
  });
});
