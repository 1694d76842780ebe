import { afterAll, beforeAll, beforeEach } from '@jest/globals';
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
import { exampleDocument } from '@pinkas/testkit';
import { textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';

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

/** A console with a document, and what the services answer about it. */
export class ShownDocument {
  console!: ConsoleUnderTest;
  /** Of the owner, who is signed in. */
  browser!: TestBrowser;
  /** The address of its page. */
  at!: string;
  answers!: Answers;
  /** The pages of requests that are shown. */
  pagesAsked!: (number | undefined)[];

  /** One for the tests of a file, each with a business and a document of its own. */
  static forTests(): ShownDocument {
    const shown = new ShownDocument();
    beforeAll(async () => {
      shown.console = await startConsole();
      answerForDocument(shown);
    });
    afterAll(() => shown.console.stop());
    beforeEach(async () => {
      const business = shown.console.addBusiness();
      shown.browser = await shown.console.signedIn(await shown.console.addPerson({ [business.id]: 'owner' }));
      const document = exampleDocument({ business_id: business.id, issued_at: minute(0) });
      shown.answers = answersFor(document);
      shown.pagesAsked = [];
      shown.at = `/b/${business.id}/documents/${document.id}`;
    });
    return shown;
  }

  async open(path: string): Promise<string> {
    return (await this.browser.get(path)).text;
  }
}

function answerForDocument(shown: ShownDocument): void {
  const { network } = shown.console;
  const now = () => shown.answers;
  network.answer(getDocument, () => {
    const { document, state, issuer } = now();
    return { document, state, ...(issuer && { issuer }) };
  });
  network.answer(showAllocation, ({ after_attempt }) => {
    shown.pagesAsked.push(after_attempt);
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
