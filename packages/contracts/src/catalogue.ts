import * as allocation from './allocation/index.js';
import * as console from './console/index.js';
import * as customer from './customer/index.js';
import type { Contract, EventContract, Route, ServiceName } from './define.js';
import * as delivery from './delivery/index.js';
import { diagnosing } from './diagnosis.js';
import * as event from './event.js';
import * as gateway from './gateway/index.js';
import * as eventRoutes from './http/events.js';
import * as routes from './http/routes.js';
import * as issuing from './issuing/index.js';
import { messaging } from './outbox.js';
import * as rendering from './rendering/index.js';
import { trails } from './trail.js';

const all = [
  issuing,
  customer,
  rendering,
  allocation,
  delivery,
  event,
  console,
  gateway,
  routes,
  eventRoutes,
  ...Object.values(messaging),
  ...Object.values(trails),
  ...Object.values(diagnosing),
].flatMap((declared): readonly unknown[] => Object.values(declared));
const ofKind = <T extends { kind: string }>(kind: T['kind']): readonly T[] =>
  all.filter((value): value is T => (value as { kind?: unknown }).kind === kind);

/** Every RPC between services. */
export const contracts: readonly Contract[] = ofKind<Contract>('contract');
/** Every event that a service publishes. */
export const events: readonly EventContract[] = ofKind<EventContract>('event');
/** Every route of the HTTP API. */
export const publicRoutes: readonly Route[] = ofKind<Route>('route');

/** The JetStream stream that stores the events of one service. */
export function streamOf(service: ServiceName): { name: string; subjects: string[] } {
  return { name: `EVT_${service.toUpperCase()}`, subjects: [`evt.${service}.>`] };
}
