import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
import { allocationPolicyOn } from '@pinkas/domain';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import { answeredErrors } from '../authority/answer-object.js';
import { type ApprovalAnswer, readApprovalAnswer, readLookUpAnswer } from '../authority/approval-answer.js';
import type { Person } from '../authority/approval-request.js';
import { approvalRequest, lookUpRequest } from '../authority/approval-request.js';
import type { AttemptOutcome, FailedAttempt } from '../authority/attempt-outcome.js';
import { AuthorityCalls } from '../authority/authority-calls.js';
import { dataFailure, isRefusal } from '../authority/data-errors.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { type ClaimedRow, storeRequestBody } from './allocation.repository.js';

const approvalPath = 'Invoices/v2/Approval';
/** A number may not be visible at once. */
const visibleAfterMs = 60_000;
const lookUpPath = 'invoice-information/v2/confirmationNumber';

/** The client of the authority's approvals and look-ups. */
@Injectable()
export class TaxAuthority {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly calls: AuthorityCalls,
  ) {}

  /**
   * One attempt. Every attempt after one of unknown outcome sends the same bytes, under the same `invoice_id`; where that is switched on,
   * the number is looked up first.
   * @throws Error where documents of this type get no number on this date.
   */
  async requestNumber(row: ClaimedRow): Promise<AttemptOutcome> {
    const found =
      row.outcome_unknown && row.request !== null ? await this.#lookUp(row, row.request) : undefined;
    if (found) {
      return found;
    }
    const { document } = row.facts;
    const isCreditNote = document.type === 'credit_note';
    if (isCreditNote && this.config.taxAuthorityCreditNotes === 'skip' && !row.outcome_unknown) {
      return { kind: 'refused', codes: [], message: 'none is requested', answer: null, isNotRequired: true };
    }
    const called = await this.calls.post(
      row.business_id,
      `${this.config.taxAuthorityUrl}/${approvalPath}`,
      row.request ?? ((person) => this.#compose(row, person)),
    );
    if (called.kind === 'failed') {
      return this.#beforeLookUp(called);
    }
    const about = { kind: 'number', date: document.date } as const;
    const outcome = this.calls.read(called, about, (body) => readApprovalAnswer(body, document.id));
    const withoutNumber = isCreditNote ? typeWithoutNumber(outcome) : undefined;
    if (withoutNumber) {
      return withoutNumber;
    }
    if (outcome.kind === 'refused' && !isRefusal(outcome.codes)) {
      return this.#dataFailure(outcome, document.date);
    }
    return outcome.kind === 'failed' ? this.#beforeLookUp(outcome) : outcome;
  }

  #beforeLookUp(outcome: FailedAttempt): FailedAttempt {
    return outcome.outcomeUnknown && this.config.taxAuthorityLookUp === 'on'
      ? { ...outcome, notBefore: new Date(this.clock.now().getTime() + visibleAfterMs) }
      : outcome;
  }

  /** Stores the request before it is sent. @returns it, or the one that another attempt has stored. */
  async #compose(row: ClaimedRow, person: Person): Promise<string> {
    const { document, business } = row.facts;
    const invoiceType = allocationPolicyOn(document.date)?.codes[document.type];
    if (invoiceType === undefined) {
      throw new Error(`no code for a ${document.type} of ${document.date}`);
    }
    const { accountingSoftwareNumber } = this.config;
    const request = approvalRequest(document, business, { invoiceType, accountingSoftwareNumber, person });
    return storeRequestBody(forTenant(this.db, row.business_id), row, JSON.stringify(request));
  }

  /** An error of data, which the authority's papers give the status 400. */
  #dataFailure({ answer }: { answer: string }, date: string): AttemptOutcome {
    const about = { kind: 'number', date, now: this.clock.now() } as const;
    return {
      kind: 'failed',
      failure: 'http_other',
      reason: 'The tax authority has rejected the request without a code.',
      retryable: false,
      awaitsConnection: false,
      ...dataFailure(answer, about),
      answer,
      outcomeUnknown: false,
    };
  }

  /**
   * The number that the authority has granted for a request of unknown outcome. It documents the look-up for buyers: whatever it answers
   * without a number proves nothing, and changes nothing.
   */
  async #lookUp(
    { business_id, document_id }: ClaimedRow,
    request: string,
  ): Promise<(Extract<ApprovalAnswer, { kind: 'granted' }> & { answer: string }) | undefined> {
    if (this.config.taxAuthorityLookUp === 'off') {
      return undefined;
    }
    const url = `${this.config.taxAuthorityInformationUrl}/${lookUpPath}`;
    const called = await this.calls.post(business_id, url, JSON.stringify(lookUpRequest(request)), {
      timeoutMs: Math.min(timeLimitsMs.authorityLookUp, this.config.taxAuthorityTimeoutMs),
      endsConnection: false,
    });
    const answered = called.kind === 'answered' ? called : undefined;
    const found = answered?.status === 200 ? readLookUpAnswer(answered.body) : undefined;
    const fields = { business_id, document_id, status: answered?.status ?? null, found: found !== undefined };
    this.logger.info(fields, 'allocation number looked up');
    return found && answered ? { ...found, answer: answered.body } : undefined;
  }
}

/**
 * What the authority answers about a type that gets no number is in no paper: a refusal, or an error of the field. A refused credit note
 * leaves nothing to decide: no VAT is deducted by it.
 */
function typeWithoutNumber(outcome: AttemptOutcome): AttemptOutcome | undefined {
  const errors = answeredErrors(outcome.answer ?? '');
  const isOfType = errors.some(({ param }) => param === 'invoice_type');
  if (outcome.kind === 'refused' && (isOfType || isRefusal(outcome.codes))) {
    return { ...outcome, isNotRequired: true };
  }
  if (outcome.kind !== 'failed' || outcome.outcomeUnknown || !isOfType) {
    return undefined;
  }
  const message = errors.map(({ code, message: text }) => `${code} ${text}`.trim()).join('; ');
  return {
    kind: 'refused',
    codes: errors.map(({ code }) => code).filter((code) => code !== ''),
    message,
    answer: outcome.answer,
    isNotRequired: true,
  };
}
