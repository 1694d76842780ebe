import { Module, type Type } from '@nestjs/common';
import type { Background } from '@pinkas/service-kit';
import { AllocationMetrics } from './allocation/allocation-metrics.js';
import { AskAuthority } from './allocation/ask-authority.js';
import { AuditAllocations } from './allocation/audit-allocations.js';
import { DecideAllocation } from './allocation/decide-allocation.js';
import { ListGivenUpAllocations } from './allocation/list-given-up-allocations.js';
import { RetryAllocation } from './allocation/retry-allocation.js';
import { TryAllocation } from './allocation/try-allocation.js';
import { AuthorityGrants } from './authority/authority-grants.js';
import { AuthorityHttp } from './authority/authority-http.js';
import { AuthorityTokens } from './authority/authority-tokens.js';
import { TaxAuthority } from './authority/tax-authority.js';
import { CompleteConnection } from './connection/complete-connection.js';
import { ListConnections } from './connection/list-connections.js';
import { ShowConnection } from './connection/show-connection.js';
import { StartConnection } from './connection/start-connection.js';
import { WatchConnections } from './connection/watch-connections.js';

/** The tax authority: who is connected, what was asked, what it answered. */
@Module({
  controllers: [
    RetryAllocation,
    ListGivenUpAllocations,
    AuditAllocations,
    StartConnection,
    CompleteConnection,
    ShowConnection,
    ListConnections,
  ],
  providers: [
    DecideAllocation,
    AskAuthority,
    TryAllocation,
    AllocationMetrics,
    TaxAuthority,
    AuthorityTokens,
    AuthorityGrants,
    AuthorityHttp,
    WatchConnections,
  ],
})
export class AllocationModule {}

/** What runs beside the operations, in the order of its start. */
export const backgrounds: readonly Type<Background>[] = [AskAuthority, WatchConnections];
