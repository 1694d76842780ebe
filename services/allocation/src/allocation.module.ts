import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { AllocationOperations } from './allocation/allocation-operations.js';
import { RecordRequiredNumber } from './allocation/record-required-number.js';
import { RetryAllocation } from './allocation/retry-allocation.js';
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
import { AuthorityChecks } from './connection/authority-checks.js';
import { CompleteConnection } from './connection/complete-connection.js';
import { ConnectionMonitor } from './connection/connection-monitor.js';
import { ConnectionOperations } from './connection/connection-operations.js';
import { ThresholdMonitor } from './connection/threshold-monitor.js';
import { DonationOperations } from './donation/donation-operations.js';
import { RecordDueDonation } from './donation/record-due-donation.js';
import { ProbeAuthority } from './probe/probe-authority.js';
import { DecideRefusal } from './refusal/decide-refusal.js';
import { DecisionSender } from './refusal/decision-sender.js';
import { RefusalDecisions } from './refusal/refusal-decision.js';
import { BookAuthority } from './test-mode/book-authority.js';
import { BookDecisions } from './test-mode/book-decisions.js';
import { BookDonations } from './test-mode/book-donations.js';
import { TestBookOperations } from './test-mode/test-book-operations.js';
import { TransmissionOperations } from './transmission/transmission-operations.js';

/** The tax authority: who is connected, what was asked, what it answered. */
@Module({
  controllers: [
    RetryAllocation,
    EnterNumber,
    RequestNumber,
    DecideRefusal,
    AllocationOperations,
    TestBookOperations,
    DonationOperations,
    ConnectionOperations,
    CompleteConnection,
    ProbeAuthority,
    TransmissionOperations,
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
    AuthorityChecks,
    ConnectionMonitor,
    ThresholdMonitor,
  ],
})
export class AllocationModule {}

/** The background tasks, in the order of their start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [
  AllocationWorker,
  ConnectionMonitor,
  ThresholdMonitor,
];
