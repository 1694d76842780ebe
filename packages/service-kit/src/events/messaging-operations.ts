import type { Type } from '@nestjs/common';
import { isMessagingService, messaging, type ServiceName } from '@pinkas/contracts';
import { deadLetterOperations } from './inbox/dead-letter-operations.js';
import { redriveDeadLetter } from './inbox/redrive-dead-letter.js';
import { outboxOperations } from './outbox/outbox-operations.js';

/** The controllers of a service's messaging contracts; none for a service without them. */
export function messagingOperations(service: ServiceName): readonly Type[] {
  if (!isMessagingService(service)) {
    return [];
  }
  const contracts = messaging[service];
  return [
    deadLetterOperations(contracts),
    redriveDeadLetter(contracts.redriveDeadLetter),
    outboxOperations(contracts),
  ];
}
