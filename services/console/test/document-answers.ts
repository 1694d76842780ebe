import {
  type Allocation,
  type AllocationAttempt,
  DocumentState,
  type FailedMessage,
  getDocument,
  IssuedDocument,
  listArtifacts,
  listDeliveryFailures,
  listDocuments,
  listMessages,
  listSuppressions,
  type Message,
  type ReplyOf,
  resendDelivery,
  type Suppression,
  sendMessage,
  showAllocation,
  unsuppressAddress,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { textOf } from './browser.js';
import { type ConsoleUnderTest } from './console.js';

export const minute = (count: number) => new Date(Date.UTC(2026, 5, 15, 8, count)).toISOString();

/** What the services answer about the document of a test. */
export interface Answers {
  document: IssuedDocument;
  state: DocumentState;
  /** Absent: of a release that does not state it. */
  issuer?: ReplyOf<typeof getDocument>['issuer'];
  allocation: Allocation | null;
  attempts: AllocationAttempt[];
  next_after_attempt: number | null;
  messages: Message[];
  resent: { resent: number; suppressed: number };
  failures: FailedMessage[];
  suppressions: Suppression[];
  /** The addresses that were allowed again. */
  allowed: string[];
  /** The documents that are based on it. */
  based: ReplyOf<typeof listDocuments>['documents'];
}

export const suppressionOf = (business_id: string, address: string, minutes: number): Suppression => ({
  business_id,
  channel: 'email',
  address,
  reason: 'bounced',
  detail: '550 no such mailbox',
  since: minute(minutes),
});

/** Answers for the services about the document of a test. @param pagesAsked the pages of requests that are shown. */
export function answerForDocument(
  { network }: ConsoleUnderTest,
  now: () => Answers,
  pagesAsked: () => (number | undefined)[],
): void {
  network.answer(getDocument, () => {
    const { document, state, issuer } = now();
    return { document, state, ...(issuer && { issuer }) };
  });
  network.answer(showAllocation, ({ after_attempt }) => {
    pagesAsked().push(after_attempt);
    const { allocation, attempts, next_after_attempt } = now();
    return { allocation, attempts, next_after_attempt };
  });
  network.answer(listArtifacts, () => ({ revisions: [] }));
  network.answer(listDocuments, ({ based_on }) => ({
    documents: based_on === now().document.id ? now().based : [],
    next_before: null,
  }));
  network.answer(resendDelivery, () => ({ ...now().resent, messages: [] }));
  network.answer(listDeliveryFailures, () => ({ failures: now().failures, next_after: null }));
  network.answer(listSuppressions, () => ({
    suppressions: now().suppressions,
    next_after: null,
  }));
  network.answer(unsuppressAddress, ({ business_id, address }) => {
    now().allowed.push(address);
    return suppressionOf(business_id, address, 0);
  });
  network.answer(sendMessage, () => {
    throw ApiError.invalid([{ path: '/recipient', message: 'is suppressed' }]);
  });
  network.answer(listMessages, () => ({ messages: now().messages }));
}

/** Of a document of which nothing has become anything yet. */
export const answersFor = (document: IssuedDocument): Answers => ({
  document,
  state: { status: 'open', paid: 0, allocation_number: null, cancelled_at: null },
  allocation: null,
  attempts: [],
  next_after_attempt: null,
  messages: [],
  resent: { resent: 0, suppressed: 0 },
  failures: [],
  suppressions: [],
  allowed: [],
  based: [],
});

/** The steps of the timeline: what each is, and its text without the time. */
export const stepsOf = (page: string) => {
  const list = /<ol class="timeline">(.*?)<\/ol>/s.exec(page)?.[1] ?? '';
  return [...list.matchAll(/<li class="(\w+)">(.*?)<p class="when">/gs)].map(
    ([, kind, text = '']) => `${kind} ${textOf(text)}`,
  );
};

export const allocationOfDocument = (document_id: string, change: Partial<Allocation>): Allocation => ({
  document_id,
  state: 'issued',
  number: null,
  reason: null,
  refusal_codes: [],
  attempts: 0,
  first_attempt_at: null,
  next_attempt_at: null,
  decided_at: minute(0),
  ...change,
});

export const attemptOf = (n: number, change: Partial<AllocationAttempt> = {}): AllocationAttempt => ({
  n,
  started_at: minute(n),
  ended_at: minute(n),
  outcome: 'failed',
  number: null,
  reason: null,
  refusal_codes: [],
  ...change,
});

export const messageOf = (change: Partial<Message> = {}): Message => ({
  delivery_id: '11111111-1111-4111-8111-111111111111',
  channel: 'email',
  purpose: 'customer',
  state: 'sent',
  next_attempt_at: null,
  not_before: null,
  held_until: null,
  follow_up: false,
  requested: false,
  ended_at: null,
  reason: null,
  recipient: 'dana@example.com',
  suppressed: false,
  created_at: minute(0),
  attempts: [],
  ...change,
});

type MessageAttempt = Message['attempts'][number];
export const sendingOf = (
  n: number,
  minutes: number,
  change: Partial<MessageAttempt> = {},
): MessageAttempt => ({
  n,
  started_at: minute(minutes),
  ended_at: minute(minutes),
  outcome: 'accepted',
  response: null,
  allocation_number: null,
  ...change,
});
