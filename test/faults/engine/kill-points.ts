import type { ServiceName } from '@pinkas/contracts';

/** What goes out or comes in on a connection of a process, as a regular expression of its bytes. */
type Bytes = readonly ['writes' | 'reads', string];

/** The instant at which a process dies. */
export interface KillPoint {
  service: ServiceName;
  /** One after the other on one connection; the process dies at the last. */
  steps: readonly Bytes[];
  /** It dies before the bytes of the last step go out, not after. What comes in is never handled. */
  before?: true;
}

const commit = '^Q....commit';
/** PostgreSQL's answer to a statement. */
const done = (command: string) => `${command}[^\\0]*\\0`;

/** Right before an event is acknowledged to JetStream: what it leads to is stored. */
const acknowledges = (durable: string): Bytes => [
  'writes',
  `PUB \\$JS\\.ACK\\.[^.]*\\.${durable}\\.[^\\r]*\\r\\n\\+ACK`,
];

/** Every boundary of F1 to F7 and F48 at which a process of the system may die under the load of a storm. */
const stormPoints = {
  'F1 gateway, before its answer': {
    service: 'gateway',
    steps: [['writes', '^HTTP/1.1 201']],
    before: true,
  },
  'F2 gateway, before issuing is called': {
    service: 'gateway',
    steps: [['writes', 'PUB rpc.issuing.document.issue.']],
    before: true,
  },
  'F3 issuing, before customer is called': {
    service: 'issuing',
    steps: [['writes', 'PUB rpc.customer.card.resolve.']],
    before: true,
  },
  'F3 customer, before its answer': {
    service: 'customer',
    steps: [['writes', 'PUB _INBOX_issuing.*"customer":']],
    before: true,
  },
  'F3 issuing, when its keys are locked': {
    service: 'issuing',
    steps: [['reads', 'set_config\\0.*locked\\0']],
  },
  'F3 issuing, before rendering is called': {
    service: 'issuing',
    steps: [['writes', 'PUB rpc.rendering.artifact.render.']],
    before: true,
  },
  'F3 issuing, when documents are rendered and signed': {
    service: 'issuing',
    steps: [['reads', '_INBOX_issuing.*"render_ms":']],
  },
  'F3 issuing, before the commit': {
    service: 'issuing',
    steps: [
      ['writes', '"idempotency_key":'],
      ['writes', commit],
    ],
    before: true,
  },
  'F3 issuing, when the commit is sent': {
    service: 'issuing',
    steps: [
      ['writes', '"idempotency_key":'],
      ['writes', commit],
    ],
  },
  'F3 issuing, after the commit': {
    service: 'issuing',
    steps: [
      ['writes', '"idempotency_key":'],
      ['reads', done('COMMIT')],
    ],
  },
  'F3 issuing, after its answer': {
    service: 'issuing',
    steps: [['writes', 'PUB _INBOX_gateway.*"replayed":false']],
  },
  'F4 rendering, when a page is sent to the renderer': {
    service: 'rendering',
    steps: [['writes', '^POST /forms/']],
  },
  'F4 rendering, when a page is printed': {
    service: 'rendering',
    steps: [['reads', '%PDF-']],
  },
  'F4 rendering, when a PDF is stored': {
    service: 'rendering',
    steps: [
      // The file, or its key in an object store.
      ['writes', '%PDF-|-[0-9a-f]{12}\\.pdf'],
      ['reads', done('INSERT')],
    ],
  },
  'F4 rendering, before it acknowledges': {
    service: 'rendering',
    steps: [acknowledges('rendering-settle-artifact')],
    before: true,
  },
  'F5 delivery, before an email': {
    service: 'delivery',
    steps: [['writes', '(^|\\n)MAIL FROM']],
    before: true,
  },
  'F5 delivery, within an email': {
    service: 'delivery',
    steps: [
      ['reads', '(^|\\n)354 '],
      ['writes', '.'],
    ],
  },
  'F5 delivery, when an email is accepted': {
    service: 'delivery',
    steps: [
      ['reads', '(^|\\n)354 '],
      ['reads', '(^|\\n)250 '],
    ],
  },
  'F5 delivery, when a WhatsApp message is accepted': {
    service: 'delivery',
    steps: [['reads', '"message_status"']],
  },
  'F5 delivery, before it acknowledges': {
    service: 'delivery',
    steps: [acknowledges('delivery-due-messages')],
    before: true,
  },
  'F6 issuing, when an event is published': {
    service: 'issuing',
    steps: [['reads', '_INBOX_issuing.*"stream": ?"EVT_ISSUING", ?"seq"']],
  },
  'F7 allocation, before the authority is asked': {
    service: 'allocation',
    steps: [['writes', '^POST [^ ]*/Approval']],
    before: true,
  },
  'F7 allocation, when the authority has answered': {
    service: 'allocation',
    steps: [['reads', '"confirmation_number"']],
  },
  'F7 allocation, before it acknowledges': {
    service: 'allocation',
    steps: [acknowledges('allocation-required-numbers')],
    before: true,
  },
  'F7 allocation, before a donation is reported': {
    service: 'allocation',
    steps: [['writes', '^POST [^ ]*/Donations/v1/Report']],
    before: true,
  },
  'F7 allocation, when a donation is reported': {
    service: 'allocation',
    // The answer, and not the stored request, which is read as well.
    steps: [['reads', '"status": ?200.*"Donation_ID"']],
  },
  'F7 allocation, before it acknowledges a donation': {
    service: 'allocation',
    steps: [acknowledges('allocation-due-donations')],
    before: true,
  },
  'F48 delivery, before a webhook': {
    service: 'delivery',
    steps: [['writes', 'webhook-id: evt_']],
    before: true,
  },
  'F48 delivery, when a webhook is received': {
    service: 'delivery',
    steps: [
      ['writes', '"type":"document.issued"'],
      ['reads', '^HTTP/1.1 204'],
    ],
  },
  'F48 delivery, before it acknowledges an event': {
    service: 'delivery',
    steps: [acknowledges('delivery-document-events')],
    before: true,
  },
} as const satisfies Record<string, KillPoint>;

/** Those of a system that stores PDFs in an object store. */
const storePoints = {
  'F4 rendering, when a PDF is in the object store': {
    service: 'rendering',
    steps: [
      ['writes', '^PUT /'],
      ['reads', '^HTTP/1.1 200'],
    ],
  },
} as const satisfies Record<string, KillPoint>;

/** Those that an owner's decision about a refused number leads to: the callers of a storm make none. */
const decisionPoints = {
  'F7 allocation, before a decision is sent': {
    service: 'allocation',
    steps: [['writes', '^POST [^ ]*/InvoiceDecisionApi/']],
    before: true,
  },
  'F7 allocation, when a decision is accepted': {
    service: 'allocation',
    steps: [['reads', '"Decision accepted"']],
  },
} as const satisfies Record<string, KillPoint>;

export const killPoints = { ...stormPoints, ...storePoints, ...decisionPoints };
export type KillPointName = keyof typeof killPoints;
/** Those that a storm reaches. */
export const killPointNames = (hasStore: boolean) =>
  Object.keys({ ...stormPoints, ...(hasStore && storePoints) }) as KillPointName[];
