import { setTimeout as pass } from 'node:timers/promises';
import { createSignInLink, invitePerson } from '@pinkas/contracts';
import { type ConsoleAnswer, ConsoleClient } from '../../harness/console-client.js';
import { Operator } from '../../harness/operator.js';
import { randomFrom } from '../../hostile/hostile-request.js';
import type { BookedBusiness, KnownDocument } from './callers.js';
import type { FaultSystem } from './system.js';

const email = 'storm-owner@example.com';
/** Of the pages that the owner opens. */
const creditShare = 0.1;
/** Longer than the deadline of a page, with room for a busy machine. */
const answerWithinMs = 22_000;
/** Behind a process that is stopped, an answer takes as long as it is stopped. */
const answersWithinMs = 90_000;
const settleWithinMs = 60_000;
const retryPauseMs = 500;
/** A page that is refused for a while: it states it, and another try is served. */
const refusals = [429, 502, 503, 504];

/** The pages of a business; those of a document are drawn besides. */
const pages = ['', '/documents', '/customers', '/connection', '/business', '/exports', '/trail'];

/** The owner of the first business in a browser without scripts: reads pages of the console, and credits an invoice now and then. */
export class ConsoleOwner {
  /** What no answer may be. */
  readonly findings: string[] = [];
  /** Ids of the invoices that were credited here, for which the book has one credit note each. */
  readonly credited = new Set<string>();
  answers = 0;
  refused = 0;
  credits = 0;
  /** Answers may take so much longer than their deadline while a console is stopped. */
  allowanceMs = 0;
  readonly #client: ConsoleClient;
  readonly #random: () => number;
  readonly #lane: Promise<void>;
  #business: BookedBusiness | null = null;
  #known: () => readonly KnownDocument[] = () => [];
  /** Invoices for which the form of a credit note was sent, and no answer states yet that it was issued. */
  readonly #open = new Set<string>();
  #pauseMs = 0;
  #isPaused = true;
  #isEnded = false;
  #isBusy = false;

  constructor(
    private readonly system: FaultSystem,
    origin: string,
    seed: number,
  ) {
    this.#client = new ConsoleClient(origin);
    this.#random = randomFrom(seed);
    this.#lane = this.#visit();
  }

  /** Makes the person an owner of a new business, and signs them in. The system has to serve every request. */
  async own(business: BookedBusiness, known: () => readonly KnownDocument[]): Promise<void> {
    this.system.stack.recordPersonalData({ email });
    this.#business = business;
    this.#known = known;
    this.credited.clear();
    const operator = await Operator.at(this.system.stack);
    try {
      await operator.call(invitePerson, { business_id: business.issuer.business.id, email, role: 'owner' });
      if (this.#client.cookies.size === 0) {
        const { url } = await operator.call(createSignInLink, { email });
        await this.#client.signIn(url);
      }
    } finally {
      await operator.close();
    }
  }

  /** Lets the person go on. @param pauseMs between two pages, on average. */
  resume(pauseMs: number): void {
    this.#pauseMs = pauseMs;
    this.#isPaused = false;
  }

  /** Lets the person wait. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Lets the person wait, and finishes what was not answered. */
  async settle(): Promise<void> {
    this.#isPaused = true;
    while (this.#isBusy && !this.#isEnded) {
      await pass(20);
    }
    const end = performance.now() + settleWithinMs * this.system.patience;
    for (const id of this.#open) {
      while (!(await this.#credit(id)) && !this.#isEnded) {
        if (performance.now() > end) {
          this.findings.push(`I10: the console does not credit ${id} within ${settleWithinMs / 1_000} s`);
          return;
        }
        await pass(retryPauseMs);
      }
    }
  }

  async end(): Promise<void> {
    this.#isPaused = true;
    this.#isEnded = true;
    await this.#lane;
  }

  async #visit(): Promise<void> {
    while (!this.#isEnded) {
      if (this.#isPaused || this.#business === null) {
        await pass(20);
        continue;
      }
      this.#isBusy = true;
      try {
        await this.#turn();
      } finally {
        this.#isBusy = false;
      }
      await pass(this.#pauseMs * 2 * this.#random());
    }
  }

  async #turn(): Promise<void> {
    const documents = this.#known().filter(({ created }) => created !== null);
    const invoice = documents.find(
      ({ created, isCredited }) => created?.type === 'tax_invoice' && !isCredited,
    );
    if (invoice?.created && this.#random() < creditShare) {
      // No caller credits it as well.
      invoice.isCredited = true;
      this.#open.add(invoice.created.id);
      await this.#credit(invoice.created.id);
      return;
    }
    const drawn = documents[Math.floor(this.#random() * documents.length)]?.created?.id;
    const own = drawn ? [...pages, `/documents/${drawn}`, `/documents/${drawn}/pdf`] : pages;
    await this.#get(own[Math.floor(this.#random() * own.length)] as string);
  }

  /** Credits an invoice by the forms, unless the page states that it is credited. @returns whether it is. */
  async #credit(id: string): Promise<boolean> {
    const path = `/documents/${id}/credit`;
    const form = await this.#get(path);
    if (form?.status !== 200) {
      return false;
    }
    const fields = hiddenFields(form.text);
    const isOver = !form.text.includes('name="extent"');
    if (!isOver) {
      const preview = await this.#post(path, { ...fields, extent: 'whole' });
      const confirmed = hiddenFields(preview?.text ?? '');
      if (preview?.status !== 200 || confirmed.step !== 'issue') {
        return false;
      }
      const issued = await this.#post(path, confirmed);
      if (!/\/documents\/[0-9a-f-]{36}$/.test(issued?.location ?? '')) {
        return false;
      }
    }
    this.#open.delete(id);
    this.credited.add(id);
    this.credits += 1;
    return true;
  }

  #get(path: string): Promise<ConsoleAnswer | null> {
    return this.#request(path);
  }

  #post(path: string, fields: Record<string, string>): Promise<ConsoleAnswer | null> {
    return this.#request(path, fields);
  }

  /** @returns null where no answer came. */
  async #request(path: string, fields?: Record<string, string>): Promise<ConsoleAnswer | null> {
    const what = `the page ${path || '/'} of the console`;
    const sentMs = performance.now();
    let reply: ConsoleAnswer | null = null;
    try {
      reply = await this.#client.exchange(`/b/${this.#business?.issuer.business.id}${path}`, {
        body: fields && new URLSearchParams(fields),
        timeoutMs: answersWithinMs * this.system.patience,
      });
    } catch {
      // Connections may break; what was not answered is sent again.
    }
    const tookMs = performance.now() - sentMs;
    if (tookMs > answerWithinMs * this.system.patience + this.allowanceMs) {
      this.findings.push(`I10: ${what} took ${Math.round(tookMs / 1_000)} s`);
    }
    this.answers += 1;
    if (reply === null || refusals.includes(reply.status) || (fields && reply.status === 422)) {
      this.refused += 1;
    } else if (reply.location?.startsWith('/sign-in')) {
      this.findings.push(`I4: the owner was signed out at ${what}`);
      this.#client.cookies.clear();
    } else if (reply.status !== 200 && !reply.location?.startsWith('/b/')) {
      this.findings.push(`I10: ${what} was answered ${reply.status}: ${textOf(reply.text)}`);
    }
    return reply;
  }
}

/** The hidden fields of the form of a page that issues or previews; without one, those of the frame. */
function hiddenFields(page: string): Record<string, string> {
  const main = page.slice(Math.max(0, page.indexOf('<main')));
  // The form that draws the picture of the document has fields of its own.
  const deciding = main.replaceAll(/<form[^>]*data-picture[\s\S]*?<\/form>/g, '');
  const inputs = deciding.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}

const textOf = (page: string) =>
  page
    .slice(Math.max(0, page.indexOf('<main')))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300);
