import { allocationSettled, donationSettled } from '../allocation/index.js';
import type { EventContract, ServiceName } from '../define.js';
import { deliveryPlanned } from '../delivery/index.js';
import { connectionEventDue, documentEventDue, messageEventDue } from '../event.js';
import { cardChanged, documentCancelled, donationDue, messageDue, numberRequired } from '../issuing/index.js';
import { artifactRendered } from '../rendering/index.js';

/** One consumer: which service handles which event, under which durable name. A durable name never changes. */
export interface ConsumerBinding<E extends EventContract = EventContract> {
  readonly service: ServiceName;
  readonly event: E;
  readonly durable: string;
}

const bind = <E extends EventContract>(
  service: ServiceName,
  event: E,
  durable: string,
): ConsumerBinding<E> => ({ service, event, durable });

/** Every consumer of the system; the handlers of the services and the permissions on NATS are made of it. */
export const consumers = {
  recordCustomer: bind('customer', cardChanged, 'customer-changed-cards'),
  recordRequiredNumber: bind('allocation', numberRequired, 'allocation-required-numbers'),
  recordDueDonation: bind('allocation', donationDue, 'allocation-due-donations'),
  planDelivery: bind('delivery', messageDue, 'delivery-due-messages'),
  withdrawDelivery: bind('delivery', documentCancelled, 'delivery-withdraw'),
  storeDocumentEvent: bind('delivery', documentEventDue, 'delivery-document-events'),
  storeMessageEvent: bind('delivery', messageEventDue, 'delivery-message-events'),
  storeConnectionEvent: bind('delivery', connectionEventDue, 'delivery-connection-events'),
  releaseDelivery: bind('delivery', artifactRendered, 'delivery-release'),
  settleArtifact: bind('rendering', allocationSettled, 'rendering-settle-artifact'),
  settleDonation: bind('rendering', donationSettled, 'rendering-settle-donation'),
  renderCancellation: bind('rendering', documentCancelled, 'rendering-cancellations'),
  recordAllocation: bind('issuing', allocationSettled, 'issuing-record-allocation'),
  recordDonation: bind('issuing', donationSettled, 'issuing-record-donation'),
  recordDelivery: bind('issuing', deliveryPlanned, 'issuing-record-delivery'),
} as const;

export const consumerBindings: readonly ConsumerBinding[] = Object.values(consumers);

/** The services that observe the events of one document, of every owner, without being their consumer. */
export const watchers: readonly ServiceName[] = ['issuing'];
