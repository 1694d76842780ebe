import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { AuditAllocations } from './allocation/audit-allocations.js';
import { ListDeadLetteredAllocations } from './allocation/list-dead-lettered-allocations.js';
import { ListUnresolvedAllocations } from './allocation/list-unresolved-allocations.js';
import { RecordRequiredNumber } from './allocation/record-required-number.js';
import { RetryAllocation } from './allocation/retry-allocation.js';
import { ShowAllocation } from './allocation/show-allocation.js';
import { AllocationMetrics } from './attempt/allocation-metrics.js';
import { AllocationRequester } from './attempt/allocation-requester.js';
import { AllocationWorker } from './attempt/allocation-worker.js';
import { DonationAuthority } from './attempt/donation-authority.js';
import { DonationReporter } from './attempt/donation-reporter.js';
import { ImmediateAttempt } from './attempt/immediate-attempt.js';
import { TaxAuthority } from './attempt/tax-authority.js';
import { AuthorityCalls } from './authority/authority-calls.js';
import { AuthorityGrants } from './authority/authority-grants.js';
import { AuthorityHttp } from './authority/authority-http.js';
import { AuthorityTokens } from './authority/authority-tokens.js';
import { EnterNumber } from './by-hand/enter-number.js';
import { RequestNumber } from './by-hand/request-number.js';
import { CompleteConnection } from './connection/complete-connection.js';
import { ConnectionMonitor } from './connection/connection-monitor.js';
import { EndConnection } from './connection/end-connection.js';
import { ListConnections } from './connection/list-connections.js';
import { ShowConnection } from './connection/show-connection.js';
import { ShowThreshold } from './connection/show-threshold.js';
import { StartConnection } from './connection/start-connection.js';
import { ThresholdMonitor } from './connection/threshold-monitor.js';
import { CancelDonation } from './donation/cancel-donation.js';
import { ListUnresolvedDonations } from './donation/list-unresolved-donations.js';
import { RecordDueDonation } from './donation/record-due-donation.js';
import { ShowDonation } from './donation/show-donation.js';
import { ProbeAuthority } from './probe/probe-authority.js';
import { DecideRefusal } from './refusal/decide-refusal.js';
import { DecisionSender } from './refusal/decision-sender.js';
import { RefusalDecisions } from './refusal/refusal-decision.js';
import { BookAuthority } from './test-mode/book-authority.js';
import { BookDecisions } from './test-mode/book-decisions.js';
import { BookDonations } from './test-mode/book-donations.js';
import { ClearTestAllocations } from './test-mode/clear-test-allocations.js';
import { ListTestRequests } from './test-mode/list-test-requests.js';
import { OpenTransmission } from './transmission/open-transmission.js';
import { ReadTransmission } from './transmission/read-transmission.js';

/** The tax authority: who is connected, what was asked, what it answered. */
@Module({
  controllers: [
    RetryAllocation,
    EnterNumber,
    RequestNumber,
    DecideRefusal,
    ShowAllocation,
    ListUnresolvedAllocations,
    ListDeadLetteredAllocations,
    AuditAllocations,
    ListTestRequests,
    ClearTestAllocations,
    ShowDonation,
    ListUnresolvedDonations,
    CancelDonation,
    StartConnection,
    CompleteConnection,
    ShowConnection,
    EndConnection,
    ListConnections,
    ProbeAuthority,
    OpenTransmission,
    ReadTransmission,
    ShowThreshold,
  ],
  providers: [
    RecordRequiredNumber,
    RecordDueDonation,
    AllocationWorker,
    AllocationRequester,
    ImmediateAttempt,
    AllocationMetrics,
    { provide: TaxAuthority, useClass: BookAuthority },
    DecisionSender,
    { provide: RefusalDecisions, useClass: BookDecisions },
    DonationReporter,
    { provide: DonationAuthority, useClass: BookDonations },
    AuthorityCalls,
    AuthorityTokens,
    AuthorityGrants,
    AuthorityHttp,
    ConnectionMonitor,
    ThresholdMonitor,
  ],
})
export class AllocationModule {}

/** What runs beside the operations, in the order of its start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [
  AllocationWorker,
  DecisionSender,
  ConnectionMonitor,
  ThresholdMonitor,
];
