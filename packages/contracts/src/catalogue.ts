import * as allocationOperations from './allocation-operations.js';
import type { Contract, EventContract, Route, ServiceName } from './define.js';
import * as deliveryOperations from './delivery-operations.js';
import { messaging } from './messaging.js';
import * as routes from './routes.js';
import * as services from './services.js';
import * as verification from './verification.js';

const all = [
  services,
  routes,
  allocationOperations,
  deliveryOperations,
  verification,
  ...Object.values(messaging),
].flatMap((declared): readonly unknown[] => Object.values(declared));
const ofKind = <T extends { kind: string }>(kind: T['kind']): readonly T[] =>
  all.filter((value): value is T => (value as { kind?: unknown }).kind === kind);

/** Every question that one service may ask another. */
export const contracts: readonly Contract[] = ofKind<Contract>('contract');
/** Every event that may be announced. */
export const events: readonly EventContract[] = ofKind<EventContract>('event');
/** Every route of the public interface. */
export const publicRoutes: readonly Route[] = ofKind<Route>('route');

/** The JetStream stream that keeps the events of one service. */
export function streamOf(service: ServiceName): { name: string; subjects: string[] } {
  return { name: `EVT_${service.toUpperCase()}`, subjects: [`evt.${service}.>`] };
}
