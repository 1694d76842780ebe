import {
  type FailedMessage,
  listDeliveryFailures,
  listSuppressions,
  type MessageStatus,
  type ReplyOf,
  resendDelivery,
  type Suppression,
  showBusiness,
  suppressAddress,
  unsuppressAddress,
} from '@pinkas/contracts';
import { notFoundAs, readId } from './arguments.js';
import type { Call, Command } from './command.js';
import { table } from './table.js';
import { RefusalError } from './usage-error.js';

const ofBusiness = { value: 'ID', meaning: 'only those of this business' } as const;
const business = { value: 'ID', meaning: 'the business that sends to the address', required: true } as const;
const noBusiness = (id: string) => `No business has the id ${id}: pinkas business list shows them`;

const readBusiness = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : readId(text, 'business list');

/** @throws RefusalError for an unknown business: delivery itself would store the address for any id. */
async function readKnownBusiness(text: string | undefined, call: Call): Promise<string> {
  const id = readId(text, 'business list');
  await notFoundAs(call(showBusiness, { business_id: id }), noBusiness(id));
  return id;
}

async function listAllFailures(businessId: string | undefined, call: Call): Promise<FailedMessage[]> {
  const found: FailedMessage[] = [];
  let after: ReplyOf<typeof listDeliveryFailures>['next_after'] = null;
  do {
    const page: ReplyOf<typeof listDeliveryFailures> = await call(listDeliveryFailures, {
      ...(businessId === undefined ? {} : { business_id: businessId }),
      ...(after === null ? {} : { after }),
    });
    found.push(...page.failures);
    after = page.next_after;
  } while (after !== null);
  return found;
}

async function listAllSuppressions(businessId: string | undefined, call: Call): Promise<Suppression[]> {
  const found: Suppression[] = [];
  let after: ReplyOf<typeof listSuppressions>['next_after'] = null;
  do {
    const page: ReplyOf<typeof listSuppressions> = await call(listSuppressions, {
      ...(businessId === undefined ? {} : { business_id: businessId }),
      ...(after === null ? {} : { after }),
    });
    found.push(...page.suppressions);
    after = page.next_after;
  } while (after !== null);
  return found;
}

/** The name of a message, such as `the customer's email`. */
const nameOf = ({
  purpose,
  channel,
  follow_up: followUp,
  requested,
}: Pick<MessageStatus, 'purpose' | 'channel' | 'follow_up' | 'requested'>): string =>
  [
    `the ${purpose}'s ${channel === 'email' ? 'email' : 'WhatsApp message'}`,
    ...(requested ? ['on request'] : []),
    ...(followUp ? ['with the allocation number'] : []),
  ].join(' ');

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

/** `pinkas delivery …` */
export const deliveryCommands: readonly Command[] = [
  {
    noun: 'delivery',
    verb: 'failures',
    summary: 'lists the failed messages with the response of the provider',
    arguments: [],
    options: { business: ofBusiness },
    run: async ({ options }, call) => {
      const failures = await listAllFailures(readBusiness(options.business), call);
      const rows = failures.map((failure) => [
        failure.document_id,
        `${failure.document_type} ${failure.document_number}`,
        failure.channel,
        failure.purpose,
        failure.recipient,
        String(failure.attempts),
        failure.failed_at,
        failure.reason,
      ]);
      return {
        json: failures,
        text:
          rows.length === 0
            ? 'No message has failed'
            : `${table(['document id', 'document', 'channel', 'for', 'recipient', 'attempts', 'failed at', 'reason'], rows)}\n\nTo resend the messages of a document: pinkas delivery resend DOCUMENT_ID`,
      };
    },
  },
  {
    noun: 'delivery',
    verb: 'resend',
    summary: 'resends the failed messages of a document',
    arguments: ['DOCUMENT_ID'],
    options: {},
    run: async ({ arguments: { DOCUMENT_ID } }, call) => {
      const id = readId(DOCUMENT_ID, 'delivery failures');
      const reply = await notFoundAs(call(resendDelivery, { document_id: id }), noMessages(id));
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
    },
  },
  {
    noun: 'delivery',
    verb: 'suppress',
    summary: 'stops all messages to an email address or phone number',
    arguments: ['ADDRESS'],
    options: { business, reason: { value: 'W', meaning: 'the reason' } },
    run: async ({ arguments: { ADDRESS }, options }, call) => {
      const id = await readKnownBusiness(options.business, call);
      const request = { business_id: id, address: ADDRESS ?? '', detail: options.reason ?? null };
      const suppression = await call(suppressAddress, request);
      return {
        json: suppression,
        text: `${suppression.address} is suppressed since ${suppression.since}`,
      };
    },
  },
  {
    noun: 'delivery',
    verb: 'unsuppress',
    summary: 'allows messages to an address again',
    arguments: ['ADDRESS'],
    options: { business },
    run: async ({ arguments: { ADDRESS }, options }, call) => {
      const id = await readKnownBusiness(options.business, call);
      const suppression = await notFoundAs(
        call(unsuppressAddress, { business_id: id, address: ADDRESS ?? '' }),
        `${ADDRESS} is not suppressed: pinkas delivery suppressions --business ${id} lists the suppressed addresses`,
      );
      return {
        json: suppression,
        text: `${suppression.address} is no longer suppressed. To resend failed messages: pinkas delivery resend DOCUMENT_ID`,
      };
    },
  },
  {
    noun: 'delivery',
    verb: 'suppressions',
    summary: 'lists the suppressed addresses',
    arguments: [],
    options: { business: ofBusiness },
    run: async ({ options }, call) => {
      const suppressions = await listAllSuppressions(readBusiness(options.business), call);
      const rows = suppressions.map((suppression) => [
        suppression.business_id,
        suppression.channel,
        suppression.address,
        suppression.reason,
        suppression.since,
        suppression.detail ?? '–',
      ]);
      return {
        json: suppressions,
        text:
          rows.length === 0
            ? 'No address is suppressed'
            : table(['business id', 'channel', 'address', 'reason', 'since', 'detail'], rows),
      };
    },
  },
];
