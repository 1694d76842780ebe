import type { Type } from '@nestjs/common';
import { type MessagingService, messaging, messagingServices, type ServiceName } from '@pinkas/contracts';
import { dropDeadLetter } from './drop-dead-letter.js';
import { getAnnouncement } from './get-announcement.js';
import { listAnnouncements } from './list-announcements.js';
import { listDeadLetters } from './list-dead-letters.js';
import { redriveDeadLetter } from './redrive-dead-letter.js';

/** The operations with which the kit answers a service's messaging contracts; none for a service that has none. */
export function messagingOperations(service: ServiceName): readonly Type[] {
  if (!messagingServices.some((one) => one === service)) return [];
  const contracts = messaging[service as MessagingService];
  return [
    listDeadLetters(contracts.listDeadLetters),
    redriveDeadLetter(contracts.redriveDeadLetter),
    dropDeadLetter(contracts.dropDeadLetter),
    listAnnouncements(contracts.listAnnouncements),
    getAnnouncement(contracts.getAnnouncement),
  ];
}
