import {
  type FailedMessage,
  liftSuppressions,
  listDeliveryFailures,
  listSuppressions,
  type MessageKind,
  type MessageStatus,
  messageKind,
  type ReplyOf,
  resendDelivery,
  type Suppression,
  suppressAddress,
  unsuppressAddress,
} from '@pinkas/contracts';
import { allOf } from '@pinkas/exports/verify';
import { anyText, businessId, given, idFrom, ofBusiness } from '../builder/arguments.js';
import { findBook } from '../builder/calls.js';
import type { Command, Output } from '../builder/command.js';
import { listed } from '../builder/table.js';
import { RefusalError } from '../builder/usage-error.js';
import { callVerb, verb } from '../builder/verb.js';

const business = {
  value: 'ID',
  meaning: 'the business that sends to the address',
  required: true,
  kind: businessId,
} as const;

const kinds: Readonly<Record<MessageKind, string | null>> = {
  planned: null,
  requested: 'on request',
  number: 'with the allocation number',
  report_cancelled: 'that its report was cancelled',
  not_deductible: 'that no input VAT is deducted',
  reminder: 'as a reminder',
  statement: 'with a statement',
};

/** The name of a message, such as `the customer's email`. */
function nameOf(message: MessageStatus): string {
  const { purpose, channel } = message;
  const kind = kinds[messageKind(message)];
  return `the ${purpose}'s ${channel === 'email' ? 'email' : 'WhatsApp message'}${kind === null ? '' : ` ${kind}`}`;
}

/** The state of a message, as the end of a sentence. */
function stateOf(message: MessageStatus): string {
  const { state, ended_at: endedAt, next_attempt_at: next, not_before: notBefore, reason } = message;
  switch (state) {
    case 'sent':
      return `was sent at ${endedAt}`;
    case 'sending':
      return 'is being sent';
    case 'waiting':
      return 'waits for the final PDF';
    case 'ready':
      if (message.held_until) {
        return `waits for the allocation number, until ${message.held_until} at the latest`;
      }
      if (notBefore !== null && notBefore === next) {
        return `is deferred until ${next}, the end of the quiet hours`;
      }
      return `is sent at ${next}${reason === null ? '' : `, after a failure (${reason})`}`;
    case 'withdrawn':
      return `was withdrawn: ${reason}`;
    default:
      return `failed: ${reason}`;
  }
}

const noMessages = (id: string) =>
  `No document with the id ${id} has a message: the response to its issue has the reason, and pinkas delivery failures lists failed ones`;

/** Why nothing is resent, on one line. */
function nothingToResend({ suppressed, messages }: ReplyOf<typeof resendDelivery>): string {
  const states = messages.map((message) => `${nameOf(message)} ${stateOf(message)}`).join('; ');
  const hint =
    suppressed > 0
      ? '. The address is suppressed: to send to it again, run pinkas delivery unsuppress ADDRESS --business ID first'
      : '';
  return `Nothing is resent: ${states}${hint}`;
}

function failuresText(failures: readonly FailedMessage[]): Output {
  const output = listed(
    failures,
    {
      'document id': (failure) => failure.document_id,
      document: (failure) => `${failure.document_type} ${failure.document_number}`,
      channel: ({ channel }) => channel,
      for: ({ purpose }) => purpose,
      recipient: ({ recipient }) => recipient,
      attempts: ({ attempts }) => String(attempts),
      'failed at': (failure) => failure.failed_at,
      reason: ({ reason }) => reason,
    },
    'No message has failed',
  );
  return failures.length === 0
    ? output
    : {
        ...output,
        text: `${output.text}\n\nTo resend the messages of a document: pinkas delivery resend DOCUMENT_ID`,
      };
}

function resent(reply: ReplyOf<typeof resendDelivery>, id: string): Output {
  if (reply.messages.length === 0) {
    throw new RefusalError(noMessages(id));
  }
  if (reply.resent === 0) {
    throw new RefusalError(nothingToResend(reply));
  }
  // The reason of the last failure does not apply to what is resent.
  const lines = reply.messages.map(
    (message) =>
      `${nameOf(message)} ${stateOf(message.state === 'ready' ? { ...message, reason: null } : message)}`,
  );
  return { json: reply, text: `${reply.resent} to be resent\n${lines.join('\n')}` };
}

const suppressionColumns: Readonly<Record<string, (suppression: Suppression) => string>> = {
  'business id': (suppression) => suppression.business_id,
  channel: ({ channel }) => channel,
  address: ({ address }) => address,
  reason: ({ reason }) => reason,
  since: ({ since }) => since,
  detail: ({ detail }) => detail ?? '–',
};

/** `pinkas delivery …` */
export const deliveryCommands: readonly Command[] = [
  verb('delivery failures', {
    summary: 'lists the failed messages with the response of the provider',
    options: { business: ofBusiness },
    run: async (values, call) => {
      const request = given({ business_id: values.business });
      return failuresText(await allOf(call, listDeliveryFailures, request, ({ failures }) => failures));
    },
  }),
  callVerb('delivery resend', {
    summary: 'resends the failed messages of a document',
    arguments: { DOCUMENT_ID: idFrom('delivery failures') },
    contract: resendDelivery,
    request: ({ DOCUMENT_ID }) => ({ document_id: DOCUMENT_ID }),
    missing: ({ DOCUMENT_ID }) => noMessages(DOCUMENT_ID),
    print: (reply, { DOCUMENT_ID }) => resent(reply, DOCUMENT_ID),
  }),
  callVerb('delivery suppress', {
    summary: 'stops all messages to an email address or phone number',
    arguments: { ADDRESS: anyText },
    options: { business, reason: { value: 'W', meaning: 'the reason' } },
    contract: suppressAddress,
    request: async ({ ADDRESS, reason, ...values }, call) => ({
      business_id: await findBook(call, values.business),
      address: ADDRESS,
      detail: reason ?? null,
    }),
    print: ({ address, since }) => `${address} is suppressed since ${since}`,
  }),
  callVerb('delivery unsuppress', {
    summary: 'allows messages to an address again',
    arguments: { ADDRESS: anyText },
    options: { business },
    contract: unsuppressAddress,
    request: async ({ ADDRESS, ...values }, call) => ({
      business_id: await findBook(call, values.business),
      address: ADDRESS,
    }),
    missing: ({ ADDRESS, ...values }) =>
      `${ADDRESS} is not suppressed: pinkas delivery suppressions --business ${values.business} lists the suppressed addresses`,
    print: ({ address }) =>
      `${address} is no longer suppressed. To resend failed messages: pinkas delivery resend DOCUMENT_ID`,
  }),
  verb('delivery lift', {
    summary: 'allows messages again to addresses that were suppressed while the mail server refused us',
    options: { business: ofBusiness, list: { value: null, meaning: 'only lists them' } },
    run: async (values, call) => {
      const request = { ...given({ business_id: values.business }), list_only: values.list };
      const found: Suppression[] = [];
      for (let more = true; more; ) {
        const reply = await call(liftSuppressions, request);
        found.push(...reply.suppressions);
        more = reply.more && !values.list;
      }
      const output = listed(
        found,
        suppressionColumns,
        'No address was suppressed while the mail server refused us',
      );
      return found.length === 0 || values.list
        ? output
        : {
            ...output,
            text: `${output.text}\n\nThey get messages again. To resend failed messages: pinkas delivery resend DOCUMENT_ID`,
          };
    },
  }),
  verb('delivery suppressions', {
    summary: 'lists the suppressed addresses',
    options: { business: ofBusiness },
    run: async (values, call) => {
      const request = given({ business_id: values.business });
      return listed(
        await allOf(call, listSuppressions, request, ({ suppressions }) => suppressions),
        suppressionColumns,
        'No address is suppressed',
      );
    },
  }),
];
