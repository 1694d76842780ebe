import type { diagnosisContracts, ProcessDiagnosis, ServiceName } from '@pinkas/contracts';
import type { ProcessReplies } from '@pinkas/service-kit/client';

/** A service with the replies of its processes. */
export interface AskedService
  extends ProcessReplies<ReturnType<typeof diagnosisContracts>['diagnoseProcess']> {
  readonly service: ServiceName;
}

/** A process that has replied. */
export interface DiagnosedProcess {
  readonly source: { readonly service: ServiceName; readonly process: string };
  readonly diagnosis: ProcessDiagnosis;
  readonly sentAt: Date;
  readonly receivedAt: Date;
}

/** The processes that have replied, of all services. */
export const processesOf = (asked: readonly AskedService[]): DiagnosedProcess[] =>
  asked.flatMap(({ service, replies }) =>
    replies.map(({ reply, sentAt, receivedAt }) => ({
      source: { service, process: `${service} on ${reply.host} (${reply.pid})` },
      diagnosis: reply,
      sentAt,
      receivedAt,
    })),
  );
