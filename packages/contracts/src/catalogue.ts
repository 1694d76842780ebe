import type { Contract, EventContract, Route, ServiceName } from './define.js';
import * as routes from './routes.js';
import * as services from './services.js';

const all = [...Object.values(services), ...Object.values(routes)] as readonly unknown[];
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
