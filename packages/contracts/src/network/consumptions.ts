import type { EventContract, ServiceName } from '../define.js';
import {
  allocationSettled,
  artifactRendered,
  deliveryPlanned,
  documentCancelled,
  documentIssued,
} from '../services.js';

/** One consumer: who handles which event, under a durable name that never changes. */
export interface Consumption {
  readonly service: ServiceName;
  readonly event: EventContract;
  readonly durable: string;
}

const of = (service: ServiceName, event: EventContract, durable: string): Consumption => ({
  service,
  event,
  durable,
});

/** Every consumer of the system; the permissions on NATS are made of it. */
export const consumptions: readonly Consumption[] = [
  of('customer', documentIssued, 'customer-cards'),
  of('allocation', documentIssued, 'allocation-decide'),
  of('delivery', documentIssued, 'delivery-plan'),
  of('delivery', documentCancelled, 'delivery-withdraw'),
  of('delivery', artifactRendered, 'delivery-release'),
  of('rendering', allocationSettled, 'rendering-settle-artifact'),
  of('rendering', documentCancelled, 'rendering-cancellations'),
  of('issuing', allocationSettled, 'issuing-record-allocation'),
  of('issuing', deliveryPlanned, 'issuing-record-delivery'),
];

/** The services that watch the events of one document pass, whoever announces them, without being their consumer. */
export const watchers: readonly ServiceName[] = ['issuing'];
