import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
import { allocationPolicyOn, type RefusalDecision } from '@pinkas/domain';
import { InjectConfig } from '@pinkas/service-kit';
import { errorsOf, membersOf, refusalOf } from '../authority/answer-object.js';
import type { Person } from '../authority/approval-request.js';
import { approvalRequest } from '../authority/approval-request.js';
import type { FailedAttempt } from '../authority/attempt-outcome.js';
import { AuthorityCalls } from '../authority/authority-calls.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationFacts } from '../db/allocation.tables.js';

/** The outcome of one attempt to send a decision. */
export type DecisionOutcome =
  | { readonly kind: 'taken'; readonly answer: string }
  /** It will not be taken. */
  | { readonly kind: 'rejected'; readonly reason: string; readonly answer: string }
  | FailedAttempt;

/** A decision that the authority has a call for. */
export type SentDecision = Exclude<RefusalDecision, 'reverse_charge'>;

/** The authority's operations, below the path of decisions (technical specification v2, 4.1). */
const operations: Readonly<Record<SentDecision, string>> = {
  continue: 'Continue',
  cancel: 'Cancel',
  object: 'FurtherObjection',
};

/** The members of a request that name the invoice and who sends it; the same as in the request of its number. */
const memberNames = [
  'invoice_id',
  'vat_number',
  'accounting_software_number',
  'user_id',
  'user_name',
] as const;

/** The authority has a decision about the invoice already. */
const decidedBefore = '462';
/** Of a decision that the authority answers so to, and which may be another than the one that it has. */
export const decidedElsewhere =
  'The tax authority has a decision about this invoice already (462): look there which one it is. Where it is this one, choose it here again.';
/** The authority has no refusal of the invoice. */
const notRefused = '463';

/** The client of the authority's decisions about refused numbers. */
@Injectable()
export class RefusalDecisions {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly calls: AuthorityCalls,
  ) {}

  /**
   * One attempt. Sent again it is safe: the authority answers that it has a decision.
   * @param isKnown whether that decision counts as this one: an earlier attempt may have arrived, or a person has looked.
   */
  async send(
    businessId: string,
    decision: SentDecision,
    facts: AllocationFacts,
    isKnown: boolean,
  ): Promise<DecisionOutcome> {
    const { taxAuthorityUrl, taxAuthorityDecisionsPath } = this.config;
    const url = `${taxAuthorityUrl}/${taxAuthorityDecisionsPath}/${operations[decision]}`;
    const called = await this.calls.post(businessId, url, async (person) => this.#body(facts, person), {
      // A person waits for it.
      timeoutMs: Math.min(timeLimitsMs.authorityLookUp, this.config.taxAuthorityTimeoutMs),
    });
    if (called.kind === 'failed') {
      return called;
    }
    const { status, body } = called;
    const message = messageOf(body);
    const codes =
      status === 200 || status === 400 ? errorsOf(message).map((error) => String(error.get('code'))) : [];
    if (codes.includes(decidedBefore)) {
      return isKnown
        ? { kind: 'taken', answer: body }
        : { kind: 'rejected', reason: decidedElsewhere, answer: body };
    }
    if (codes.includes(notRefused)) {
      const reason = `The tax authority has not refused this invoice (${refusalOf(message).message}): request its number again.`;
      return { kind: 'rejected', reason, answer: body };
    }
    return this.calls.read(called, { kind: 'number', date: facts.document.date }, readDecisionAnswer);
  }

  #body({ document, business }: AllocationFacts, person: Person): string {
    const { accountingSoftwareNumber } = this.config;
    const invoiceType = allocationPolicyOn(document.date)?.codes[document.type] ?? 0;
    const request = new Map<string, unknown>(
      Object.entries(approvalRequest(document, business, { invoiceType, accountingSoftwareNumber, person })),
    );
    return JSON.stringify(
      Object.fromEntries(
        memberNames.flatMap((name) => (request.has(name) ? [[name, request.get(name)]] : [])),
      ),
    );
  }
}

function messageOf(body: string): unknown {
  try {
    return membersOf(JSON.parse(body))?.get('message');
  } catch {
    return undefined;
  }
}

/**
 * Reads the answer with HTTP status 200 to a decision: `Decision accepted`, without a number and without the invoice.
 * @throws Error where it is no answer of that kind.
 */
function readDecisionAnswer(body: string): { readonly kind: 'taken' } {
  const message = messageOf(body);
  if (message === undefined || errorsOf(message).length > 0) {
    throw new Error('the answer does not accept the decision');
  }
  return { kind: 'taken' };
}
