import type { Type } from '@nestjs/common';
import { isMessagingService, messaging, type ServiceName } from '@pinkas/contracts';
import { dropDeadLetter } from './inbox/drop-dead-letter.js';
import { listDeadLetters } from './inbox/list-dead-letters.js';
import { redriveDeadLetter } from './inbox/redrive-dead-letter.js';
import { getOutboxEvent } from './outbox/get-outbox-event.js';
import { listOutboxEvents } from './outbox/list-outbox-events.js';

/** The operations that handle a service's messaging contracts; none for a service without them. */
export function messagingOperations(service: ServiceName): readonly Type[] {
  if (!isMessagingService(service)) {
    return [];
  }
  const contracts = messaging[service];
  return [
    listDeadLetters(contracts.listDeadLetters),
    redriveDeadLetter(contracts.redriveDeadLetter),
    dropDeadLetter(contracts.dropDeadLetter),
    listOutboxEvents(contracts.listOutboxEvents),
    getOutboxEvent(contracts.getOutboxEvent),
  ];
}
