import {
  type Business,
  type DecideRefusal,
  type DecisionView,
  decideRefusal,
  type EntryRefusal,
  enterAllocationNumber,
  getDocumentFacts,
  type ReplyOf,
  type RequestRefusal,
  requestAllocationNumber,
  showBusiness,
} from '@pinkas/contracts';
import { type NoNumberReason, type RefusalDecision, refusalDecisions } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit/client';
import { anyText, idFrom, type Kind } from '../builder/arguments.js';
import { notFoundAs } from '../builder/calls.js';
import type { Call, Command, Output } from '../builder/command.js';
import { RefusalError, UsageError } from '../builder/usage-error.js';
import { callVerb, verb } from '../builder/verb.js';

const noDocument = (id: string) => `No document has the id ${id}`;

/** What is sent to the tax authority about a document: its business is that of the issue, but for the connection. */
async function readFacts(call: Call, id: string) {
  const { document, business, artifact_sha256 } = await notFoundAs(
    call(getDocumentFacts, { document_id: id }),
    noDocument(id),
  );
  const tax_authority_connected = await isConnected(call, business);
  return { document, business: { ...business, tax_authority_connected }, artifact_sha256 };
}

/** As of now; of a test book, which has no settings of its own, as of the issue. */
async function isConnected(call: Call, atIssue: Business): Promise<boolean> {
  try {
    const { business } = await call(showBusiness, { business_id: atIssue.id });
    return business.tax_authority_connected;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') {
      return atIssue.tax_authority_connected;
    }
    throw error;
  }
}

const noNumber: Readonly<Record<NoNumberReason, string>> = {
  type: 'Only a tax invoice and a tax invoice / receipt have an allocation number',
  age: 'The tax authority gives no number to a document that is more than a year old',
  no_vat: 'The document has no VAT, and so no allocation number',
  no_tax_id: 'The business had no tax id when the document was issued',
};

const notEntered: Readonly<Record<EntryRefusal, string>> = {
  ...noNumber,
  form: "A number has nine digits, and not zeros alone: the rightmost nine of the tax authority's number",
  has_number: 'The document has another allocation number, which is printed and stays',
  of_other: 'Another document of the business has this number: check which of them it was given for',
};

const notRequested = (id: string): Readonly<Record<RequestRefusal, string>> => ({
  ...noNumber,
  has_number: 'The document has its allocation number',
  not_connected:
    'The business is not connected to the tax authority: run pinkas allocation connect BUSINESS_ID first',
  refused: `The tax authority has refused it: run pinkas allocation decide ${id} continue|cancel|object, or after a won objection pinkas allocation retry ${id}`,
});

function entered({ number, refusal, other, ...key }: ReplyOf<typeof enterAllocationNumber>): Output {
  const json = { ...key, number, refusal, ...(other && { other }) };
  if (refusal === null) {
    return { json, text: `The allocation number is ${number}; the next revision of the PDF has it` };
  }
  const more =
    other === undefined ? (number ?? '') : `document ${other.document_number} (${other.document_id})`;
  return { json, text: more, failure: notEntered[refusal] };
}

function requested(reply: ReplyOf<typeof requestAllocationNumber>): Output {
  const { number, refusal, reason, next_attempt_at: next, document_id: id } = reply;
  if (refusal !== null) {
    return { json: reply, text: number ?? '', failure: notRequested(id)[refusal] };
  }
  if (number !== null) {
    return { json: reply, text: `The allocation number is ${number}; the next revision of the PDF has it` };
  }
  const failure = next
    ? `It is retried at ${next}`
    : `It is not retried: correct the cause, then run pinkas allocation retry ${id}`;
  return { json: reply, text: `No number: ${reason ?? 'an attempt is in flight'}`, failure };
}

const notDecided: Readonly<Record<DecideRefusal, string>> = {
  not_refused: 'The tax authority has not refused a number of this document: there is nothing to decide',
  decided: 'It was decided otherwise before, and the tax authority has that decision',
  not_offered:
    'This way is not offered for the document. Reverse charge needs an invoice without VAT for the same sale, which is not issued from here: cancel the invoice, or object',
};

const taken: Readonly<Record<RefusalDecision, string>> = {
  continue:
    'The tax authority has taken it: the next revision of the PDF states that no input VAT is deducted, and those who were sent the invoice get a message',
  cancel: 'The tax authority has taken it: issue a credit note for the whole invoice',
  object:
    'The tax authority has taken it: file the hearing or the objection on its site; after it is won, run pinkas allocation retry',
  reverse_charge: 'The tax authority has taken it',
};

function decided(reply: ReplyOf<typeof decideRefusal>): Output {
  const { refusal, last } = reply;
  if (refusal !== null) {
    return { json: reply, text: last ? lastText(last) : '', failure: notDecided[refusal] };
  }
  if (last === null || last.state === 'pending') {
    return {
      json: reply,
      text: `The decision is recorded: ${last?.reason ?? 'an attempt is in flight'}`,
      failure: `The tax authority has not confirmed it yet; it is sent again at ${last?.next_attempt_at}`,
    };
  }
  return last.state === 'taken'
    ? { json: reply, text: taken[last.decision] }
    : { json: reply, text: lastText(last), failure: 'The tax authority did not take the decision' };
}

const lastText = ({ decision, state, decided_at, reason }: DecisionView): string =>
  `${wordOf(decision)}, ${decided_at}: ${state}${reason === null ? '' : `, ${reason}`}`;

const wordOf = (decision: RefusalDecision): string => decision.replace('_', '-');

const decisionWord: Kind<RefusalDecision> = {
  read: (text) => {
    const decision = refusalDecisions.find((known) => wordOf(known) === text);
    if (decision === undefined) {
      throw new UsageError(`The decision is ${refusalDecisions.map(wordOf).join(', ')}, not "${text}"`);
    }
    return decision;
  },
};

/** `pinkas allocation enter`, `request` and `decide`: what a person does about the number of one document. */
export const numberCommands: readonly Command[] = [
  verb('allocation enter', {
    summary: 'takes the allocation number of an invoice that a person got elsewhere; requests for one end',
    arguments: { DOCUMENT_ID: idFrom('audit list'), NUMBER: anyText },
    run: async ({ DOCUMENT_ID, NUMBER }, call) => {
      const facts = await readFacts(call, DOCUMENT_ID);
      if (NUMBER.length > 100) {
        throw new RefusalError(notEntered.form);
      }
      return entered(await call(enterAllocationNumber, { ...facts, entered: NUMBER.trim() }));
    },
  }),
  callVerb('allocation request', {
    summary: 'requests an allocation number for an invoice that needs none, for example below the threshold',
    arguments: { DOCUMENT_ID: idFrom('audit list') },
    contract: requestAllocationNumber,
    request: ({ DOCUMENT_ID }, call) => readFacts(call, DOCUMENT_ID),
    print: requested,
  }),
  callVerb('allocation decide', {
    summary: "sends the owner's decision about a refused number: continue, cancel, object or reverse-charge",
    arguments: { DOCUMENT_ID: idFrom('queue dead'), DECISION: decisionWord },
    contract: decideRefusal,
    request: ({ DOCUMENT_ID, DECISION }) => ({ document_id: DOCUMENT_ID, decision: DECISION }),
    missing: () => notDecided.not_refused,
    print: decided,
  }),
];
