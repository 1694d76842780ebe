import type { Type } from '@nestjs/common';
import { auditing, type ServiceName } from '@pinkas/contracts';
import { listAuditEntries } from './list-audit-entries.js';
import { listChainHeads } from './list-chain-heads.js';

/** The operations that handle a service's audit contracts. */
export function auditOperations(service: ServiceName): readonly Type[] {
  const contracts = auditing[service];
  return [listAuditEntries(contracts.listAuditEntries), listChainHeads(contracts.listChainHeads)];
}
