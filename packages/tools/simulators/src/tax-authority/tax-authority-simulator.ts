import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '@pinkas/service-kit/http';
import {
  type Call,
  type Listen,
  type RunningSimulator,
  readBody,
  readJsonObject,
  sendJson,
  serveHttp,
} from '../http.js';
import { type Answer, gateway, schemaErrors, withErrorId } from './answer.js';
import { approve, approveAll, type Batch } from './approvals.js';
import { Book, type Decision, decisionNames, type Invoice } from './book.js';
import { CallLog, type ReceivedCall } from './call-log.js';
import { Clock } from './clock.js';
import { actAsAuthority, setClock } from './controls.js';
import { type DecisionBody, decide } from './decisions.js';
import { findDonation, reportDonation } from './donations.js';
import { type Fault, Faults, type OperationName } from './faults.js';
import { respond } from './faulty-response.js';
import { answerOfV1, bodyOfV1, findInvoice, findNumber, mayActFor, minimumAmount } from './information.js';
import { authorize, clientIdOf, type KnownClient, token } from './oauth.js';
import { type Login, OAuthStore } from './oauth-store.js';
import { defaultOptions, type Options, optionTable, readOptions } from './options.js';
import { faultsOf } from './schemas.js';
import { Transmission } from './transmission.js';

/** What {@link startTaxAuthority} needs. Without an id any client may fetch tokens, without a secret with any. */
interface TaxAuthorityOptions extends Listen, KnownClient {
  /** Where numbers, refusals and refresh tokens are stored over restarts. Without it they are in memory only. */
  readonly dataDir?: string | undefined;
  /** What differs from the defaults of the options. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/** One call of the authority, while it is answered. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly call: Call;
  readonly received: ReceivedCall;
}

/** A call that got through the gateway. */
interface Admitted {
  readonly body: Record<string, unknown>;
  /** Of the operation whose body is a list. */
  readonly list: unknown;
  /** As the caller addressed the simulator. */
  readonly origin: string;
  readonly login: Login;
  readonly fault: Fault;
}

/** An operation behind the gateway: what it is of, the schema of its body, and its answer. */
interface Operation {
  readonly name: OperationName;
  readonly schema: Parameters<typeof faultsOf>[0] | null;
  readonly isV1?: boolean;
  readonly takesList?: boolean;
  answer(admitted: Admitted): Answer;
}

const bodyBytesMax = 16 * 1024 * 1024;

/**
 * Starts a simulator of the Israel Tax Authority under `/shaam/{env}`: OAuth, approval of one invoice or many, decisions about
 * refused ones, look-ups, the minimum amount, and reports of donations. The README in this folder lists which answers are
 * documented and which are guesses. Tests set failures by `POST /_mode` (see {@link Fault}), guesses by `POST /_options`, the time by
 * `POST /_clock`, and read `GET /_calls` and `GET /_state`.
 */
export function startTaxAuthority(options: TaxAuthorityOptions): Promise<RunningSimulator> {
  const simulator = new TaxAuthoritySimulator(options);
  return serveHttp(options, (request, response, call) => simulator.handle(request, response, call));
}

class TaxAuthoritySimulator {
  readonly #known: KnownClient;
  readonly #clock = new Clock();
  readonly #store: OAuthStore;
  readonly #invoices: Book;
  readonly #donations: Book;
  readonly #log = new CallLog(this.#clock);
  readonly #faults = new Faults(this.#clock);
  readonly #transmission = new Transmission();
  #options: Options;

  constructor(given: TaxAuthorityOptions) {
    this.#known = given;
    this.#options = readOptions(given.options ?? {});
    this.#store = new OAuthStore(given.dataDir, this.#clock);
    this.#invoices = new Book(given.dataDir, this.#clock);
    this.#donations = new Book(given.dataDir, this.#clock, 'donations', '405');
  }

  async handle(request: IncomingMessage, response: ServerResponse, call: Call): Promise<void> {
    const control = this.#controls[`${request.method} ${call.url.pathname}`];
    if (control) {
      return sendJson(response, 200, await control(request));
    }
    if (call.url.pathname.startsWith('/_storage/')) {
      return this.#transmission.store(request, response, call.url.pathname, originOf(request));
    }
    const path = /^\/shaam\/[\w-]+\/(.+)$/.exec(call.url.pathname)?.[1];
    if (path === undefined) {
      throw new HttpError(404, 'no such path');
    }
    const received = this.#log.receive(request, call.url.pathname, response);
    const exchange = { request, response, call, received };
    switch (`${request.method} ${path}`) {
      case 'GET longtimetoken/oauth2/authorize':
        return this.#authorize(exchange);
      case 'POST longtimetoken/oauth2/token':
        return this.#token(exchange);
      case 'GET Invoices/v2/health':
      case 'GET Invoices/v2/alive':
        return this.#send(exchange, this.#faults.take('health', null), () => ({
          status: 200,
          body: path.endsWith('health') ? 'Healthy' : 'Alive',
          source: '[A] OA; the body [C]',
        }));
    }
    return this.#operate(exchange, path);
  }

  /** What tests use; the authority has none of these. */
  readonly #controls: Readonly<Record<string, (request: IncomingMessage) => Promise<object> | object>> = {
    'GET /health': () => ({ status: 'up' }),
    'POST /_mode': (request) => this.#faults.read(request),
    'GET /_calls': () => ({
      ...this.#faults.shown(),
      ...this.#log.shown(),
      granted: this.#invoices.newest().map(({ invoice, ...grant }) => grant),
      donations: this.#donations.newest(),
      asked: { ...this.#invoices.asked(), ...this.#donations.asked() },
    }),
    'GET /_state': () => ({
      now: this.#clock.now().toISOString(),
      ...this.#invoices.shown(),
      donations: this.#donations.shown().grants,
      files: this.#transmission.shown(),
      logins: this.#store.logins(),
      counts: this.#log.counts(),
    }),
    'GET /_options': () => ({ options: this.#options, about: aboutOptions }),
    'POST /_options': (request) => this.#setOptions(request),
    'POST /_clock': (request) => setClock(request, this.#clock),
    'POST /_authority': (request) => actAsAuthority(request, { book: this.#invoices, store: this.#store }),
  };

  /** Sets the options that are sent; `reset: true` takes the defaults for all others. */
  async #setOptions(request: IncomingMessage): Promise<Options> {
    const { reset, ...given } = await readJsonObject(request);
    this.#options = readOptions(given, reset === true ? defaultOptions : this.#options);
    return this.#options;
  }

  #authorize(exchange: Exchange): Promise<void> {
    const query = exchange.call.url.searchParams;
    exchange.received.keys = [...query.keys()];
    exchange.received.body = Object.fromEntries(query);
    const fault = this.#faults.take('authorize', null);
    return this.#send(exchange, fault, () => authorize(query, fault.mode === 'refuse', this.#oauth));
  }

  async #token(exchange: Exchange): Promise<void> {
    const { received, request } = exchange;
    const form = new URLSearchParams((await readBody(request, 64 * 1024)).toString('utf8'));
    const grantType = form.get('grant_type');
    received.keys = [...form.keys()];
    received.body = { grant_type: grantType };
    return this.#send(exchange, this.#faults.take('token', null), () => {
      const given = token(request, form, this.#oauth);
      const client_id = clientIdOf(request, form);
      this.#log.tokenUsed({ grant_type: grantType, client_id, given: given.status === 200 });
      return given;
    });
  }

  get #oauth() {
    return { known: this.#known, options: this.#options, store: this.#store, clock: this.#clock };
  }

  async #operate(exchange: Exchange, path: string): Promise<void> {
    const { received, request } = exchange;
    const operation = request.method === 'POST' ? this.#operationOf(path) : undefined;
    const body = await this.#readCall(exchange);
    if (!operation) {
      return this.#send(exchange, undefined, () => gateway(404, '[A] P1'));
    }
    const login = this.#store.loginOf(/^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '');
    if (!login) {
      return this.#send(exchange, undefined, () => gateway(401, '[A] PF'));
    }
    received.keys = Object.keys(body ?? {});
    const isDonation = operation.name === 'donation';
    const id = isDonation ? body?.Donation_ID : body?.invoice_id;
    if (body && id !== undefined && operation.name !== 'decision') {
      (isDonation ? this.#donations : this.#invoices).ask(String(id), body);
    }
    const fault = this.#faults.take(operation.name, id);
    return this.#send(exchange, fault, () => this.#admit(exchange, path, operation, { body, login, fault }));
  }

  /** The body where it is a JSON object; what was sent is recorded in any case. */
  async #readCall({ request, received }: Exchange): Promise<Record<string, unknown> | undefined> {
    const raw = (await readBody(request, bodyBytesMax)).toString('utf8');
    received.body = raw;
    try {
      received.body = JSON.parse(raw);
    } catch {
      return undefined;
    }
    return objectOf(received.body);
  }

  /** The gateway's checks of a call with a valid token, in its order, and then the operation. */
  #admit(
    { request, received }: Exchange,
    path: string,
    operation: Operation,
    {
      body: sent,
      login,
      fault,
    }: Pick<Admitted, 'login' | 'fault'> & { readonly body: Admitted['body'] | undefined },
  ): Answer {
    if (this.#options.clientIdHeader === 'required' && !request.headers['x-ibm-client-id']) {
      return gateway(401, '[C] clientIdHeader', 'Client id missing');
    }
    const { subscriptions } = this.#options;
    if (subscriptions !== null && !subscriptions.includes(path.split('/')[0] as string)) {
      return gateway(403, '[A] P1; the body [C]');
    }
    const list = received.body;
    if (!sent && !(operation.takesList && Array.isArray(list))) {
      return gateway(400, '[A] P1');
    }
    const body = operation.isV1 ? bodyOfV1(sent ?? {}) : (sent ?? {});
    const faults = operation.schema === null ? [] : faultsOf(operation.schema, body);
    if (faults.length > 0) {
      return this.#schemaAnswer(faults);
    }
    const given = operation.answer({ body, list, origin: originOf(request), login, fault });
    return operation.isV1 ? answerOfV1(given) : given;
  }

  #schemaAnswer(faults: ReturnType<typeof faultsOf>): Answer {
    if (this.#options.schemaErrors === 'service') {
      const listed = faults.map(({ message, param, value }) => ({ value, msg: message, param }));
      return schemaErrors(listed, this.#clock.now());
    }
    const prose = faults.map(({ message, param }) => `[JSV0009] Invalid value of ${param}: ${message}.`);
    return gateway(422, '[A] PF', `Validate: ${prose.join(' ')}`);
  }

  /** Decisions and donations are where their options put them. */
  #operationOf(path: string): Operation | undefined {
    const { decisionsPath, donationsPath, donationsLookUp } = this.#options;
    const decision = decisionNames.find((name) => path === `${decisionsPath}/${name}`);
    if (decision) {
      return this.#decision(decision);
    }
    switch (path) {
      case 'Invoices/v2/Approval':
        return { name: 'approval', schema: 'invoice', answer: (admitted) => this.#approval(admitted) };
      case 'Multi-invoices/v2/MultiApproval':
        return { name: 'approval', schema: 'batch', answer: (admitted) => this.#batch(admitted) };
      case 'invoice-information/v1/confirmationNumber':
      case 'invoice-information/v2/confirmationNumber':
        return this.#lookUp(path.includes('/v1/'));
      case 'invoice-information/v1/details':
      case 'invoice-information/v2/details':
        return this.#details(path.includes('/v1/'));
      case 'general-information/v2/MinimumAmount':
        return {
          name: 'minimum',
          schema: 'minimumAmount',
          answer: ({ body }) =>
            minimumAmount(String(body.date), { clock: this.#clock, options: this.#options }),
        };
      case 'UniStructFileUploadLinksApi/v1/UploadingFile/GetUrlsForUploadingFiles':
        return {
          name: 'transmission',
          schema: 'uploadLinks',
          answer: ({ body, origin, login }) =>
            this.#actFor(login, Number(body.caseNumber), () =>
              this.#transmission.links(body, origin, this.#options),
            ),
        };
      case 'FilesStatusApi/v1/Files/get-file-status':
        return {
          name: 'transmission',
          schema: null,
          takesList: true,
          answer: ({ list }) => this.#transmission.status(list, this.#options),
        };
      case donationsPath:
        return { name: 'donation', schema: null, answer: (admitted) => this.#donation(admitted) };
      case donationsLookUp:
        return {
          name: 'information',
          schema: 'donationId',
          answer: ({ body }) =>
            findDonation(String(body.Donation_ID), { book: this.#donations, options: this.#options }),
        };
    }
    return undefined;
  }

  #approval({ body, login, fault }: Admitted): Answer {
    const invoice = body as unknown as Invoice;
    return this.#actFor(login, invoice.vat_number, () => approve(invoice, this.#approvalContext(fault)));
  }

  #batch({ body, login, fault }: Admitted): Answer {
    const batch = body as unknown as Batch;
    return this.#actFor(login, batch.vat_number, () => approveAll(batch, this.#approvalContext(fault)));
  }

  #approvalContext(fault: Fault) {
    return { book: this.#invoices, clock: this.#clock, options: this.#options, fault };
  }

  #decision(decision: Decision): Operation {
    return {
      name: 'decision',
      schema: 'decision',
      answer: ({ body, login }) => {
        const sent = body as unknown as DecisionBody;
        return this.#actFor(login, sent.vat_number, () =>
          decide(decision, sent, this.#invoices, this.#options),
        );
      },
    };
  }

  #lookUp(isV1: boolean): Operation {
    return {
      name: 'information',
      schema: this.#options.lookupReference === 'required' ? 'lookUpWithReference' : 'lookUp',
      isV1,
      answer: ({ body, login, fault }) => {
        const asked = body as unknown as Parameters<typeof findNumber>[0];
        const { found, answer } = findNumber(asked, { ...this.#approvalContext(fault), login });
        this.#log.lookedUp({
          invoice_reference_number: asked.invoice_reference_number ?? null,
          invoice_id: found?.invoice_id ?? null,
          found: found !== null,
        });
        return answer;
      },
    };
  }

  #details(isV1: boolean): Operation {
    return {
      name: 'information',
      schema: 'details',
      isV1,
      answer: ({ body, login, fault }) =>
        findInvoice(body as unknown as Parameters<typeof findInvoice>[0], {
          ...this.#approvalContext(fault),
          login,
        }),
    };
  }

  #donation({ body, login, fault }: Admitted): Answer {
    const context = { book: this.#donations, clock: this.#clock, options: this.#options, fault };
    return this.#actFor(login, Number(body.Charity_association_number), () => reportDonation(body, context));
  }

  /** [A] OA, P1, PF: 406 where the login has no permission for the VAT number. Without a list it has it for every seller. */
  #actFor(login: Login, vatNumber: number, act: () => Answer): Answer {
    if (this.#options.permittedVats === null) {
      login.vats.add(vatNumber);
    }
    return mayActFor(login, vatNumber, this.#options)
      ? act()
      : withErrorId(406, this.#clock.now(), '[A] OA, P1, PF');
  }

  #send(exchange: Exchange, fault: Fault | undefined, act: () => Answer): Promise<void> {
    return respond(exchange, fault, act, this.#clock);
  }
}

const aboutOptions = Object.fromEntries(
  Object.entries(optionTable).map(([name, { about }]) => [name, about]),
);

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

const originOf = (request: IncomingMessage): string => `http://${request.headers.host}`;
