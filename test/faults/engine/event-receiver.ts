import { setTimeout as pass } from 'node:timers/promises';
import { type ApiEvent, createEndpoint } from '@pinkas/contracts';
import { eventually, type ReceivedWebhook, WebhookReceiver } from '@pinkas/testkit';
import { Webhook } from 'standardwebhooks';
import type { Operator } from '../../harness/operator.js';
import type { BookedBusiness } from './callers.js';
import type { FaultSystem } from './system.js';

/** A webhook that fails during the faults is sent again after a minute, or five. */
const receivedWithinMs = 6 * 60_000;
const probeEveryMs = 500;

/** Where some of the businesses have an endpoint: what it receives is held against their lists of events. */
export class EventReceiver {
  /** Of the endpoint of a business, by its id. */
  readonly #secrets = new Map<string, string>();
  /** The genuine webhooks by the id of their event. */
  readonly #received = new Map<string, ReceivedWebhook[]>();
  readonly #findings: string[] = [];

  private constructor(private readonly receiver: WebhookReceiver) {
    receiver.answer = (webhook, response) => {
      this.#record(webhook);
      response.writeHead(204).end();
    };
  }

  static async start(): Promise<EventReceiver> {
    return new EventReceiver(await WebhookReceiver.start());
  }

  /** Creates the endpoint of a business, with which its events begin. */
  async subscribe(operator: Operator, { issuer: { business } }: BookedBusiness): Promise<void> {
    const request = { business_id: business.id, url: this.receiver.url };
    const { secret } = await operator.call(createEndpoint, request);
    this.#secrets.set(business.id, secret);
  }

  /** How often the event of a type about a document was received under each of its ids. */
  timesOf(type: ApiEvent['type'], documentId: string): number[] {
    return [...this.#received.values()]
      .filter(([webhook]) => {
        const event = JSON.parse(webhook?.body ?? '') as ApiEvent;
        return event.type === type && event.data.document?.id === documentId;
      })
      .map(({ length }) => length);
  }

  /**
   * I12 and I4 of events: each event that is listed of a business with an endpoint has arrived there, with a signature and a body that
   * do not change; each document that its caller was given has one event.
   */
  async check(
    system: FaultSystem,
    businesses: readonly BookedBusiness[],
    issued: readonly string[],
  ): Promise<string[]> {
    const findings = this.#findings.splice(0);
    const end = performance.now() + receivedWithinMs * system.patience;
    const ofIssued: string[] = [];
    for (const { issuer } of businesses) {
      if (!this.#secrets.has(issuer.business.id)) {
        continue;
      }
      const events = await eventually(
        'the events are listed',
        () => listedEvents(system, issuer.key),
        receivedWithinMs,
      );
      while (events.some(({ id }) => !this.#received.has(id)) && performance.now() < end) {
        await pass(probeEveryMs);
      }
      for (const event of events) {
        const bodies = this.#received.get(event.id)?.map(({ body }) => body) ?? [];
        if (bodies.length === 0) {
          findings.push(`I12: the event ${event.id} (${event.type}) was not received`);
        } else if (bodies.some((body) => body !== JSON.stringify(event))) {
          findings.push(
            `I4: the event ${event.id} was received as ${bodies}, and is listed as ${JSON.stringify(event)}`,
          );
        }
        if (event.type === 'document.issued') {
          ofIssued.push(event.data.document?.id ?? '');
        }
      }
    }
    const missing = issued.filter((id) => !ofIssued.includes(id));
    if (missing.length > 0 || new Set(ofIssued).size !== ofIssued.length) {
      findings.push(`I12: ${ofIssued.length} events about issued documents, and none about ${missing}`);
    }
    return findings;
  }

  /** Forgets what it received: other businesses follow. */
  clear(): void {
    this.#received.clear();
    this.#secrets.clear();
    this.receiver.received.length = 0;
  }

  stop(): Promise<void> {
    return this.receiver.stop();
  }

  #record(webhook: ReceivedWebhook): void {
    const { headers, body } = webhook;
    const id = headers['webhook-id'] ?? '';
    const secret = this.#secrets.get((JSON.parse(body) as ApiEvent).business_id);
    if (secret === undefined) {
      return;
    }
    // By its own time: the clocks of a storm differ.
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    if (new Webhook(secret).sign(id, at, body) !== headers['webhook-signature']) {
      this.#findings.push(`I9: the webhook ${id} has the signature ${headers['webhook-signature']}`);
      return;
    }
    this.#received.set(id, [...(this.#received.get(id) ?? []), webhook]);
  }
}

async function listedEvents(system: FaultSystem, key: string): Promise<ApiEvent[]> {
  const events: ApiEvent[] = [];
  const query = new URLSearchParams({ limit: '100' });
  for (;;) {
    const { status, body } = await system.stack.call<{ data: ApiEvent[]; next_cursor: string }>(
      key,
      'GET',
      `/events?${query}`,
    );
    if (status !== 200) {
      throw new Error(`the list of events is answered ${status}`);
    }
    if (body.data.length === 0) {
      return events;
    }
    events.push(...body.data);
    query.set('cursor', body.next_cursor);
  }
}
