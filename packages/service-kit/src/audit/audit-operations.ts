import type { Type } from '@nestjs/common';
import { auditing, type ServiceName } from '@pinkas/contracts';
import { listAuditEntries } from './list-audit-entries.js';

/** The operations that handle a service's audit contracts. */
export function auditOperations(service: ServiceName): readonly Type[] {
  return [listAuditEntries(auditing[service].listAuditEntries)];
}
