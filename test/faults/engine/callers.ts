import { Agent } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import type { CreateDocument, CreatedDocument, ErrorBody } from '@pinkas/contracts';
import { errorCatalogue } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { documentOf } from '../../conformance/example-bodies.js';
import { type Issuer, invoice } from '../../harness/running-stack.js';
import { send } from '../../harness/send.js';
import { randomFrom } from '../../hostile/hostile-request.js';
import type { FaultSystem } from './system.js';

const callerCount = 8;
/** Before a request that is not served is sent again. */
const retryPauseMs = 500;
/** Of the requests of a caller: what only reads; documents sent again, sent twice at once, abandoned before the answer, and cancelled afterwards. */
const shares = { read: 0.2, retried: 0.2, raced: 0.05, abandoned: 0.03, cancelled: 0.05 };
/** Longer than the deadline of a request, with room for a busy machine. */
const answerWithinMs = 22_000;
/** Behind a process that is stopped, an answer takes as long as it is stopped. */
const answersWithinMs = 90_000;
const settleWithinMs = 60_000;
/**
 * A caller leaves a connection that is idle for longer. It is shorter than the shutdown delay of a replica, which closes what is
 * idle at its end: a request that is sent at that instant has no answer, whatever a server does (RFC 9112, section 9.5).
 */
const idleConnectionMs = 1_000;
/** A net price that needs an allocation number. */
const largePrice = 6_000;

const readPaths = ['/documents?limit=20', '/customers?q=%D7%9C%D7%A7%D7%95%D7%97', '/me'];

/** One of the five businesses: with what it issues. */
export interface BookedBusiness {
  issuer: Issuer;
  types: readonly DocumentType[];
  /** Whether its events are sent to an endpoint. */
  hasEndpoint?: true | undefined;
}

/** What a caller has of a key: what it sent, and what it was answered. */
export interface KnownDocument {
  /** Whether the system was set back to an instant at which it was in flight. */
  wasInFlight?: boolean;
  business: BookedBusiness;
  key: string;
  body: CreateDocument;
  /** Null until it is answered 201. */
  created: CreatedDocument | null;
  /** Whether an invoice has a credit note, or is about to have it: it gets one at most, so that no rule refuses what is sent. */
  isCredited: boolean;
  /** When it was sent for the first time, and when it was answered 201, on the clock of `performance`. */
  sentMs: number;
  createdMs: number;
  /** Whether it was sent outside of the load, and not again yet. */
  isBesides: boolean;
  /** Whether a request to cancel it was sent, and answered 200. */
  cancel: 'none' | 'sent' | 'done';
}

export interface Answer {
  status: number;
  body: CreatedDocument & ErrorBody;
}

interface Asking {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  key?: string;
}

/** An invoice that was sent outside of the load. */
export interface IssuedInvoice {
  known: KnownDocument;
  answer: Promise<Answer | null>;
}

/** Eight callers and what they know: the history that the system is held against. */
export class Callers {
  /** By business id. */
  readonly known = new Map<string, KnownDocument[]>();
  /** What no answer may be. */
  readonly findings: string[] = [];
  answers = 0;
  refusals = 0;
  /** How often each code, or no answer, was the reason since the callers were let go on. */
  refusedWith: Record<string, number> = {};
  /** Each of these requests. */
  refused: { method: string; path: string; code: string; tookMs: number }[] = [];
  /** Requests served in a row, and when the first of them was answered. */
  served = { inARow: 0, sinceMs: 0 };
  /** Answers may take so much longer than their deadline while a gateway is stopped. */
  allowanceMs = 0;
  #businesses: readonly BookedBusiness[] = [];
  #isPaused = true;
  #isEnded = false;
  #inFlight = 0;
  #keys = 0;
  #pauseMs = 0;
  readonly #besides = new Agent({ keepAlive: true, timeout: idleConnectionMs });
  readonly #agents: Agent[] = [this.#besides];
  readonly #lanes: Promise<void>[];

  constructor(
    private readonly system: FaultSystem,
    private readonly baseUrl: string,
    private readonly seed: number,
  ) {
    this.#lanes = Array.from({ length: callerCount }, (_, index) => this.#caller(index));
  }

  /** Lets them go on, with these businesses. @param pauseMs between two requests of a caller, on average. */
  resume(businesses: readonly BookedBusiness[], pauseMs: number): void {
    this.#pauseMs = pauseMs;
    this.#businesses = businesses;
    this.served = { inARow: 0, sinceMs: 0 };
    this.refusedWith = {};
    this.refused = [];
    this.#isPaused = false;
  }

  /** Lets them wait, whatever is not answered yet. */
  pause(): void {
    this.#isPaused = true;
  }

  /** What is known of the documents of a business. */
  knownOf({ issuer: { business } }: BookedBusiness): KnownDocument[] {
    const known = this.known.get(business.id) ?? [];
    this.known.set(business.id, known);
    return known;
  }

  /** Sends one invoice besides, to a customer with an address of its own. @returns what is known of it, and its answer to come. */
  issue(business: BookedBusiness, unitPrice: number, change: Partial<CreateDocument> = {}): IssuedInvoice {
    const key = this.#newKey();
    const customer = { name: 'לקוח עוסק', tax_id: '777777723', email: `${key}@example.com` };
    const body = invoice(unitPrice, { customer, external_ref: key, ...change });
    const known = this.#remember(business, key, body);
    known.isBesides = true;
    return { known, answer: this.#send(this.#besides, known) };
  }

  /** Lets them wait, and sends again what is not answered yet until it is, and each invoice that was sent besides. */
  async settle(): Promise<void> {
    this.#isPaused = true;
    const end = performance.now() + (settleWithinMs + answersWithinMs) * this.system.patience;
    while (this.#inFlight > 0 && !this.#isEnded && performance.now() < end) {
      await pass(20);
    }
    const open = [...this.known.values()]
      .flat()
      .filter(({ created, isBesides }) => isBesides || created === null);
    await Promise.all(
      Array.from({ length: callerCount }, async (_, lane) => {
        for (let index = lane; index < open.length; index += callerCount) {
          await this.#settleOne(open[index] as KnownDocument);
        }
      }),
    );
  }

  async end(): Promise<void> {
    this.#isPaused = true;
    this.#isEnded = true;
    for (const agent of this.#agents) {
      agent.destroy();
    }
    await Promise.all(this.#lanes);
  }

  async #settleOne(known: KnownDocument): Promise<void> {
    const withinMs = settleWithinMs * this.system.patience;
    const end = performance.now() + withinMs;
    for (;;) {
      const answer = await this.#send(this.#besides, known);
      if (answer?.status === 201) {
        known.isBesides = false;
        break;
      }
      if (this.#isEnded || performance.now() > end) {
        break;
      }
      await pass(retryPauseMs);
    }
    if (known.created === null && !this.#isEnded) {
      this.findings.push(`I10: the key ${known.key} is not answered 201 within ${withinMs / 1_000} s`);
    }
  }

  async #caller(index: number): Promise<void> {
    const random = randomFrom(this.seed * callerCount + index);
    const agent = new Agent({ keepAlive: true, timeout: idleConnectionMs, maxSockets: 2 });
    this.#agents.push(agent);
    while (!this.#isEnded) {
      if (this.#isPaused || this.#businesses.length === 0) {
        await pass(20);
        continue;
      }
      this.#inFlight += 1;
      try {
        await this.#turn(agent, random);
      } finally {
        this.#inFlight -= 1;
      }
      await pass(this.#pauseMs * 2 * random());
    }
  }

  async #turn(agent: Agent, random: () => number): Promise<void> {
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    const business = pick(this.#businesses) as BookedBusiness;
    if (random() < shares.read) {
      await this.#request(agent, business, { method: 'GET', path: pick(readPaths) as string });
      return;
    }
    const known = this.knownOf(business);
    const earlier = pick(known);
    const share = random();
    if (share < shares.retried && earlier) {
      await this.#send(agent, earlier);
      return;
    }
    const drawn = this.#draw(business, known, random);
    if (share < shares.retried + shares.raced) {
      await Promise.all([this.#send(agent, drawn), this.#send(agent, drawn)]);
    } else if (share < shares.retried + shares.raced + shares.abandoned) {
      await this.#send(agent, drawn, random() * 300);
    } else {
      await this.#send(agent, drawn);
    }
    if (drawn.created?.type === 'quote' && random() < shares.cancelled * 10) {
      drawn.cancel = 'sent';
      const path = `/documents/${drawn.created.id}/cancel`;
      const answer = await this.#request(agent, business, { method: 'POST', path, body: {} });
      drawn.cancel = answer?.status === 200 ? 'done' : 'sent';
    }
  }

  #draw(business: BookedBusiness, known: readonly KnownDocument[], random: () => number): KnownDocument {
    const key = this.#newKey();
    const type = business.types[Math.floor(random() * business.types.length)] as DocumentType;
    const source = known.find(({ created, isCredited }) => created?.type === 'tax_invoice' && !isCredited);
    const customer = {
      name: `לקוח סערה ${random() < 0.5 ? Math.floor(random() * 20) : key}`,
      email: `${key}@example.com`,
      ...(random() < 0.2 && { phone: '050-0000000' }),
    };
    const change: Partial<CreateDocument> = { customer, external_ref: key };
    const isCredit = type === 'credit_note' && source?.created != null;
    if (isCredit) {
      source.isCredited = true;
    }
    const body =
      isCredit && source.created
        ? documentOf(type, { ...change, based_on: source.created.id })
        : documentOf(type === 'credit_note' ? 'tax_invoice' : type, change);
    if (body.type === 'tax_invoice' && random() < 0.4) {
      body.items = [{ description: 'שירות לדוגמה', quantity: 1, unit_price: largePrice }];
      body.customer = { ...customer, name: 'לקוח עוסק', tax_id: '777777723' };
      body.prices_include_vat = false;
    }
    return this.#remember(business, key, body);
  }

  #newKey(): string {
    this.#keys += 1;
    return `key-${this.seed}-${this.#keys}`;
  }

  #remember(business: BookedBusiness, key: string, body: CreateDocument): KnownDocument {
    const one: KnownDocument = {
      business,
      key,
      body,
      created: null,
      sentMs: performance.now(),
      createdMs: Number.NaN,
      isCredited: false,
      isBesides: false,
      cancel: 'none',
    };
    this.knownOf(business).push(one);
    return one;
  }

  /** Sends the request of a key, and holds its answer against those before. */
  async #send(agent: Agent, known: KnownDocument, abandonAfterMs?: number): Promise<Answer | null> {
    const { business, key, body } = known;
    const answer = await this.#request(
      agent,
      business,
      { method: 'POST', path: '/documents', body, key },
      abandonAfterMs,
    );
    if (answer?.status !== 201) {
      return answer;
    }
    const { created } = known;
    if (created === null) {
      known.created = answer.body;
      known.createdMs = performance.now();
    } else if (JSON.stringify(created) !== JSON.stringify(answer.body)) {
      this.findings.push(
        `I4: the key ${key} was answered ${JSON.stringify(created)}, then ${JSON.stringify(answer.body)}`,
      );
    }
    return answer;
  }

  async #request(
    agent: Agent,
    { issuer }: BookedBusiness,
    asking: Asking,
    abandonAfterMs?: number,
  ): Promise<Answer | null> {
    const sentMs = performance.now();
    const what = `${asking.path} with the key ${asking.key}`;
    let answer: Answer | null = null;
    let failure = '';
    try {
      answer = await this.#exchange(agent, issuer, asking, abandonAfterMs);
    } catch (error) {
      // Connections may break; documents that are not answered are sent again.
      failure = String(error);
    }
    if (abandonAfterMs !== undefined) {
      return answer;
    }
    const tookMs = performance.now() - sentMs;
    if (tookMs > answerWithinMs * this.system.patience + this.allowanceMs) {
      this.findings.push(`I10: ${what} took ${Math.round(tookMs / 1_000)} s`);
    }
    const isServed = answer?.status === 201 || answer?.status === 200;
    this.answers += 1;
    if (isServed) {
      const { inARow, sinceMs } = this.served;
      this.served = { inARow: inARow + 1, sinceMs: inARow === 0 ? performance.now() : sinceMs };
    } else {
      const code = answer?.body.error?.code ?? `no answer (${failure})`;
      // Of two requests with one key, one waits for the other.
      if (code !== 'request_in_progress') {
        this.refusals += 1;
        this.refusedWith[code] = (this.refusedWith[code] ?? 0) + 1;
        const { method, path } = asking;
        this.refused.push({ method, path, code, tookMs });
        this.served = { inARow: 0, sinceMs: 0 };
      }
      this.#checkRefusal(what, answer);
    }
    return answer;
  }

  #checkRefusal(what: string, answer: Answer | null): void {
    if (answer === null) {
      return;
    }
    const { code, retryable } = answer.body.error ?? {};
    if (!(code in errorCatalogue)) {
      this.findings.push(`I10: ${what} was answered ${answer.status} without a code of the catalogue`);
    } else if (code === 'internal_error') {
      this.findings.push(
        `I10: ${what} was answered as if the system had a defect: ${JSON.stringify(answer.body)}`,
      );
    } else if (!retryable) {
      this.findings.push(`I5: ${what} was refused for good: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }

  async #exchange(
    agent: Agent,
    issuer: Issuer,
    { method, path, body, key }: Asking,
    abandonAfterMs: number | undefined,
  ): Promise<Answer> {
    this.system.stack.recordPersonalData(body);
    const { status, text } = await send(agent, this.baseUrl, {
      method,
      path,
      headers: {
        authorization: `Bearer ${issuer.key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify(body),
      timeoutMs: answersWithinMs * this.system.patience,
      signal: abandonAfterMs === undefined ? undefined : AbortSignal.timeout(abandonAfterMs),
    });
    return { status, body: JSON.parse(text) };
  }
}
