import type { Type } from '@nestjs/common';
import { auditing, type ServiceName } from '@pinkas/contracts';
import { listAuditEntries } from './list-audit-entries.js';
import { listChainHeads } from './list-chain-heads.js';
import { listLatestAuditEntries } from './list-latest-audit-entries.js';

/** The operations that handle a service's audit contracts. */
export function auditOperations(service: ServiceName): readonly Type[] {
  const contracts = auditing[service];
  return [
    listAuditEntries(contracts.listAuditEntries),
    listLatestAuditEntries(contracts.listLatestAuditEntries),
    listChainHeads(contracts.listChainHeads),
  ];
}
