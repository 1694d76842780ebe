import {
  type FailedMessage,
  listDeliveryFailures,
  listSuppressions,
  type MessageStanding,
  type ReplyOf,
  resendDelivery,
  type Suppression,
  showBusiness,
  suppressAddress,
  unsuppressAddress,
} from '@pinkas/contracts';
import type { Ask, Command } from './command.js';
import { orMissing, readId } from './given-values.js';
import { Refusal } from './refusal.js';
import { table } from './table.js';

const ofOne = { value: 'ID', meaning: 'of this business alone' } as const;
const business = { value: 'ID', meaning: 'the business that writes to it', required: true } as const;
const noBusiness = (id: string) => `No business has the id ${id}: pinkas business list shows them`;

const readBusiness = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : readId(text, 'business list');

/** @throws Refusal where there is no such business: delivery keeps addresses for any id. */
async function readKnownBusiness(text: string | undefined, ask: Ask): Promise<string> {
  const id = readId(text, 'business list');
  await orMissing(ask(showBusiness, { business_id: id }), noBusiness(id));
  return id;
}

async function everyFailure(businessId: string | undefined, ask: Ask): Promise<FailedMessage[]> {
  const found: FailedMessage[] = [];
  let after: ReplyOf<typeof listDeliveryFailures>['next_after'] = null;
  do {
    const page: ReplyOf<typeof listDeliveryFailures> = await ask(listDeliveryFailures, {
      ...(businessId === undefined ? {} : { business_id: businessId }),
      ...(after === null ? {} : { after }),
    });
    found.push(...page.failures);
    after = page.next_after;
  } while (after !== null);
  return found;
}

async function everySuppression(businessId: string | undefined, ask: Ask): Promise<Suppression[]> {
  const found: Suppression[] = [];
  let after: ReplyOf<typeof listSuppressions>['next_after'] = null;
  do {
    const page: ReplyOf<typeof listSuppressions> = await ask(listSuppressions, {
      ...(businessId === undefined ? {} : { business_id: businessId }),
      ...(after === null ? {} : { after }),
    });
    found.push(...page.suppressions);
    after = page.next_after;
  } while (after !== null);
  return found;
}

/** What it is that stands somewhere: `the customer's mail`. */
const nameOf = ({ purpose, channel }: Pick<MessageStanding, 'purpose' | 'channel'>): string =>
  `the ${purpose}'s ${channel === 'email' ? 'mail' : 'WhatsApp message'}`;

/** Where a message stands, as the end of a sentence. */
function standingOf(message: MessageStanding): string {
  const { state, ended_at: endedAt, next_attempt_at: next, not_before: notBefore, reason } = message;
  switch (state) {
    case 'sent':
      return `was sent at ${endedAt}`;
    case 'sending':
      return 'is being sent right now';
    case 'waiting':
      return 'waits for the final PDF';
    case 'ready':
      if (notBefore !== null && notBefore === next)
        return `is deferred until ${next}, the end of the quiet hours`;
      return `is tried at ${next}${reason === null ? '' : ` again (${reason})`}`;
    case 'withdrawn':
      return `was withdrawn: ${reason}`;
    default:
      return `has failed: ${reason}`;
  }
}

/** Why there is no message, by what was decided at issue. */
const plannedWords: Readonly<Record<string, string>> = {
  disabled: 'the business does not send by itself',
  suppressed: 'the request said send: false, or the address is suppressed (pinkas delivery suppressions)',
  no_recipient: 'the document has no address for the channel of the business',
};

/** One line that says why nothing is sent again. */
function nothingToResend({ messages, planned }: ReplyOf<typeof resendDelivery>): string {
  if (messages.length === 0) {
    return `Nothing was sent of this document: ${plannedWords[planned] ?? planned}`;
  }
  const standings = messages.map((message) => `${nameOf(message)} ${standingOf(message)}`).join('; ');
  const hint = messages.some(({ state }) => state === 'failed')
    ? '. A suppressed address is let in again by pinkas delivery unsuppress ADDRESS --business ID'
    : '';
  return `Nothing is sent again: ${standings}${hint}`;
}

/** `pinkas delivery …` */
export const deliveryCommands: readonly Command[] = [
  {
    noun: 'delivery',
    verb: 'failures',
    does: 'lists the messages that were given up, with the words of the provider',
    arguments: [],
    options: { business: ofOne },
    run: async ({ options }, ask) => {
      const failures = await everyFailure(readBusiness(options.business), ask);
      const rows = failures.map((one) => [
        one.document_id,
        `${one.document_type} ${one.document_number}`,
        one.channel,
        one.purpose,
        one.recipient,
        String(one.tries),
        one.failed_at,
        one.reason,
      ]);
      return {
        json: failures,
        text:
          rows.length === 0
            ? 'No message has failed'
            : `${table(['document id', 'document', 'channel', 'for', 'recipient', 'tries', 'failed at', 'reason'], rows)}\n\nSend one again: pinkas delivery resend DOCUMENT_ID`,
      };
    },
  },
  {
    noun: 'delivery',
    verb: 'resend',
    does: 'sends what has failed of a document again',
    arguments: ['DOCUMENT_ID'],
    options: {},
    run: async ({ arguments: { DOCUMENT_ID } }, ask) => {
      const id = readId(DOCUMENT_ID, 'delivery failures');
      const reply = await orMissing(
        ask(resendDelivery, { document_id: id }),
        `Nothing was decided for a document with the id ${id}: pinkas delivery failures shows what has failed`,
      );
      if (reply.resent === 0) throw new Refusal(nothingToResend(reply));
      // Why the last try failed is past for what is tried again.
      const lines = reply.messages.map(
        (message) =>
          `${nameOf(message)} ${standingOf(message.state === 'ready' ? { ...message, reason: null } : message)}`,
      );
      return { json: reply, text: `${reply.resent} to be sent again\n${lines.join('\n')}` };
    },
  },
  {
    noun: 'delivery',
    verb: 'suppress',
    does: 'writes to a mail address or phone number no more',
    arguments: ['ADDRESS'],
    options: { business, reason: { value: 'W', meaning: 'why, in words' } },
    run: async ({ arguments: { ADDRESS }, options }, ask) => {
      const id = await readKnownBusiness(options.business, ask);
      const request = { business_id: id, address: ADDRESS ?? '', words: options.reason ?? null };
      const suppression = await ask(suppressAddress, request);
      return {
        json: suppression,
        text: `${suppression.address} is not written to, since ${suppression.since}`,
      };
    },
  },
  {
    noun: 'delivery',
    verb: 'unsuppress',
    does: 'lets an address be written to again',
    arguments: ['ADDRESS'],
    options: { business },
    run: async ({ arguments: { ADDRESS }, options }, ask) => {
      const id = await readKnownBusiness(options.business, ask);
      const suppression = await orMissing(
        ask(unsuppressAddress, { business_id: id, address: ADDRESS ?? '' }),
        `${ADDRESS} is not suppressed: pinkas delivery suppressions --business ${id} shows which are`,
      );
      return {
        json: suppression,
        text: `${suppression.address} may be written to again. What has failed meanwhile: pinkas delivery resend DOCUMENT_ID`,
      };
    },
  },
  {
    noun: 'delivery',
    verb: 'suppressions',
    does: 'lists the addresses that are not written to',
    arguments: [],
    options: { business: ofOne },
    run: async ({ options }, ask) => {
      const suppressions = await everySuppression(readBusiness(options.business), ask);
      const rows = suppressions.map((one) => [
        one.business_id,
        one.channel,
        one.address,
        one.reason,
        one.since,
        one.words ?? '–',
      ]);
      return {
        json: suppressions,
        text:
          rows.length === 0
            ? 'Every address is written to'
            : table(['business id', 'channel', 'address', 'reason', 'since', 'words'], rows),
      };
    },
  },
];
