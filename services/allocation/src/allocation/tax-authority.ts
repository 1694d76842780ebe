import { Injectable } from '@nestjs/common';
import { allocationPolicyOn } from '@pinkas/domain';
import { InjectConfig } from '@pinkas/service-kit';
import { readApprovalAnswer, readLookUpAnswer } from '../authority/approval-answer.js';
import { approvalRequest } from '../authority/approval-request.js';
import type { AttemptOutcome } from '../authority/attempt-outcome.js';
import type { AllocationConfig } from '../config.js';
import { AuthorityCalls, readAnswered } from '../connection/authority-calls.js';
import type { ClaimedRow } from './allocation.repository.js';

const approvalPath = 'Invoices/v2/Approval';
const lookUpPath = 'invoice-information/v1/confirmationNumber';

/** The client of the authority's approvals and look-ups. */
@Injectable()
export class TaxAuthority {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly calls: AuthorityCalls,
  ) {}

  /**
   * One attempt within `taxAuthorityTimeoutMs`. Where an earlier one has an unknown outcome, the number is looked up first
   * (within the same time again) and requested only if there is none, under the same `invoice_id`.
   * @throws Error where documents of this type get no number on this date.
   */
  async requestNumber({
    business_id: businessId,
    facts: { document, business },
    outcome_unknown,
  }: ClaimedRow): Promise<AttemptOutcome> {
    const invoiceType = allocationPolicyOn(document.date)?.codes[document.type];
    if (invoiceType === undefined) {
      throw new Error(`no code for a ${document.type} of ${document.date}`);
    }
    const { accountingSoftwareNumber } = this.config;
    const request = approvalRequest(document, business, { invoiceType, accountingSoftwareNumber });
    if (outcome_unknown) {
      const found = await this.#lookUp(businessId, request.invoice_id);
      if (found !== 'none') {
        return found;
      }
    }
    const called = await this.calls.post(businessId, this.#url(approvalPath), request);
    if (called.kind === 'failed') {
      return called;
    }
    return readAnswered(called, 'number', (body) => readApprovalAnswer(body, request.invoice_id));
  }

  /** The number that the authority has granted for an invoice. */
  async #lookUp(businessId: string, invoiceId: string): Promise<AttemptOutcome | 'none'> {
    const called = await this.calls.post(businessId, this.#url(lookUpPath), { invoice_id: invoiceId });
    if (called.kind === 'failed') {
      return { ...called, outcomeUnknown: true };
    }
    if (called.status === 404) {
      return 'none';
    }
    const outcome = readAnswered(called, 'number', (body) => readLookUpAnswer(body, invoiceId));
    if (outcome.kind === 'none') {
      return 'none';
    }
    return outcome.kind === 'failed' ? { ...outcome, outcomeUnknown: true } : outcome;
  }

  #url(path: string): string {
    return `${this.config.taxAuthorityUrl}/${path}`;
  }
}
