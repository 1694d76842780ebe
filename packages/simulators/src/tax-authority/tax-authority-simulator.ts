import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, send } from '@pinkas/service-kit/process';
import {
  type Call,
  hangMaxMs,
  type Listen,
  pause,
  type RunningSimulator,
  readBody,
  readJsonObject,
  sendJson,
  serveHttp,
  shownMax,
} from '../http.js';
import { checkApproval } from './approval-request.js';
import { CallRecord } from './call-record.js';
import { ConfirmationNumberStore } from './confirmation-number-store.js';
import { checkDonation } from './donation-request.js';
import { type Mode, Modes } from './modes.js';
import { OAuthTokens } from './oauth-tokens.js';

/** What {@link startTaxAuthority} needs. */
export interface TaxAuthorityOptions extends Listen {
  /** The only client that may fetch tokens. Without it any client may. */
  readonly clientId?: string | undefined;
  /** The secret of that client. Without it any secret is accepted. */
  readonly clientSecret?: string | undefined;
  /** Where grants and refresh tokens are stored over restarts. Without it they are in memory only. */
  readonly dataDir?: string | undefined;
}

interface ReceivedCall {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly path: string;
  /** What was sent; of a token request only the kind of grant. */
  body: unknown;
  /** Null until it is answered. */
  status: number | null;
}

/** One call of the authority's API, while it is answered. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly call: Call;
  readonly received: ReceivedCall;
}

const badAccessToken = { status: 401, message: 'the access token is missing, unknown or expired' };

/**
 * Starts a simulator of the Israel Tax Authority's invoice API, version 2, under `/shaam/{env}`: OAuth2 with rotating
 * refresh tokens, approval of invoices, look-up of a number, and reports of donations. Tests set failures by `POST /_mode` (see {@link Modes}) and
 * read what was received, granted and recorded (see {@link CallRecord}) by `GET /_calls`.
 */
export function startTaxAuthority(options: TaxAuthorityOptions): Promise<RunningSimulator> {
  const simulator = new TaxAuthoritySimulator(options);
  return serveHttp(options, (request, response, call) => simulator.handle(request, response, call));
}

class TaxAuthoritySimulator {
  readonly #options: TaxAuthorityOptions;
  readonly #tokens: OAuthTokens;
  readonly #numbers: ConfirmationNumberStore;
  readonly #donations: ConfirmationNumberStore;
  readonly #calls: ReceivedCall[] = [];
  readonly #record = new CallRecord();
  readonly #modes = new Modes();

  /** The API's operations by method and path below `/shaam/{env}/`. */
  readonly #routes: Readonly<Record<string, (exchange: Exchange) => Promise<void> | void>> = {
    'GET longtimetoken/oauth2/authorize': (exchange) => this.#authorize(exchange),
    'POST longtimetoken/oauth2/token': (exchange) => this.#token(exchange),
    'POST Invoices/v2/Approval': (exchange) => this.#approve(exchange),
    'POST invoice-information/v1/confirmationNumber': (exchange) => this.#lookUp(exchange),
    'POST Donations/v1/Report': (exchange) => this.#report(exchange),
    'POST Donations/v1/confirmationNumber': (exchange) => this.#findReport(exchange),
  };

  constructor(options: TaxAuthorityOptions) {
    this.#options = options;
    this.#tokens = new OAuthTokens(options.dataDir);
    this.#numbers = new ConfirmationNumberStore(options.dataDir);
    this.#donations = new ConfirmationNumberStore(options.dataDir, 'donations.jsonl', () => '405');
  }

  async handle(request: IncomingMessage, response: ServerResponse, call: Call): Promise<void> {
    switch (`${request.method} ${call.url.pathname}`) {
      case 'GET /health':
        return sendJson(response, 200, { status: 'up' });
      case 'POST /_mode':
        return sendJson(response, 200, await this.#modes.read(request));
      case 'GET /_calls':
        return sendJson(response, 200, this.#shown());
    }
    const path = /^\/shaam\/[\w-]+\/(.+)$/.exec(call.url.pathname)?.[1];
    if (path === undefined) {
      throw new HttpError(404, 'no such path');
    }
    const received = this.#receive(call, response);
    const route = this.#routes[`${request.method} ${path}`];
    if (route === undefined) {
      return sendJson(response, 404, { status: 404, message: 'no such path' });
    }
    return route({ request, response, call, received });
  }

  #shown(): object {
    return {
      ...this.#modes.shown(),
      calls: this.#calls,
      granted: this.#numbers.newest(shownMax),
      donations: this.#donations.newest(shownMax),
      ...this.#record.shown(),
    };
  }

  #receive(call: Call, response: ServerResponse): ReceivedCall {
    const received: ReceivedCall = {
      at: new Date().toISOString(),
      path: call.url.pathname,
      body: null,
      status: null,
    };
    this.#calls.push(received);
    if (this.#calls.length > shownMax) {
      this.#calls.shift();
    }
    response.once('finish', () => {
      received.status = response.statusCode;
    });
    return received;
  }

  /** The browser's part. The real authority shows a login here; the simulator consents immediately. */
  #authorize({ response, call, received }: Exchange): void {
    const query = call.url.searchParams;
    received.body = Object.fromEntries(query);
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!URL.canParse(redirectUri)) {
      throw new HttpError(400, 'redirect_uri is missing or no address');
    }
    const clientId = query.get('client_id') ?? '';
    if (clientId === '' || (this.#options.clientId && clientId !== this.#options.clientId)) {
      throw new HttpError(400, 'client_id is unknown');
    }
    const target = new URL(redirectUri);
    if (query.get('response_type') === 'code') {
      target.searchParams.set('code', this.#tokens.newCode(clientId, redirectUri));
    } else {
      target.searchParams.set('error', 'unsupported_response_type');
    }
    const state = query.get('state');
    if (state !== null) {
      target.searchParams.set('state', state);
    }
    response.writeHead(302, { location: target.href, 'content-length': 0 }).end();
  }

  async #token({ request, response, received }: Exchange): Promise<void> {
    const form = new URLSearchParams((await readBody(request, 64 * 1024)).toString('utf8'));
    const grantType = form.get('grant_type');
    received.body = { grant_type: grantType };
    if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
      return sendJson(response, 400, {
        error: 'invalid_request',
        error_description: 'the body must be form-encoded',
      });
    }
    const clientId = this.#clientOf(request, form);
    if (clientId === undefined) {
      response.setHeader('www-authenticate', 'Basic realm="shaam"');
      return sendJson(response, 401, { error: 'invalid_client' });
    }
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
      return sendJson(response, 400, { error: 'unsupported_grant_type' });
    }
    const tokens =
      grantType === 'authorization_code'
        ? this.#tokens.fromCode(clientId, form.get('code') ?? '', form.get('redirect_uri') ?? '')
        : this.#tokens.fromRefreshToken(clientId, form.get('refresh_token') ?? '');
    this.#record.tokenUsed({ grant_type: grantType, client_id: clientId, given: tokens !== undefined });
    if (!tokens) {
      return sendJson(response, 400, { error: 'invalid_grant' });
    }
    response.setHeader('cache-control', 'no-store');
    return sendJson(response, 200, tokens);
  }

  /** The client by Basic authentication or by the form; undefined where id or secret is wrong. */
  #clientOf(request: IncomingMessage, form: URLSearchParams): string | undefined {
    const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const [id, ...rest] = Buffer.from(basic ?? '', 'base64')
      .toString('utf8')
      .split(':');
    const clientId = basic ? id : form.get('client_id');
    const secret = basic ? rest.join(':') : form.get('client_secret');
    if (!clientId || !secret) {
      return undefined;
    }
    const { clientId: onlyClientId, clientSecret: onlySecret } = this.#options;
    const isKnown = (!onlyClientId || clientId === onlyClientId) && (!onlySecret || secret === onlySecret);
    return isKnown ? clientId : undefined;
  }

  async #approve(exchange: Exchange): Promise<void> {
    const body = await this.#readInvoiceCall(exchange);
    if (!body) {
      return;
    }
    this.#record.asked(String(body.invoice_id));
    const mode = this.#modes.take(body.invoice_id);
    if (await fails(mode, exchange)) {
      return;
    }
    const answer = this.#approvalOf(body, mode);
    await answerAs(mode, exchange, answer.status, answer);
  }

  #approvalOf(
    body: Record<string, unknown>,
    mode: Mode,
  ): { readonly status: number; readonly [member: string]: unknown } {
    const { shape, content } = checkApproval(body, todayInIsrael());
    if (shape.length > 0) {
      return { status: 422, message: { errors: shape } };
    }
    const errors =
      mode.mode === 'refuse' && content.length === 0
        ? [{ code: 460, message: 'the number was refused', param: 'invoice_id', location: 'body' }]
        : content;
    if (errors.length > 0) {
      return { status: 200, message: { errors }, confirmation_number: '0', approved: false };
    }
    const invoiceId = String(body.invoice_id);
    const grant = mode.mode === 'foreign' ? this.#numbers.another(invoiceId) : this.#numbers.grant(invoiceId);
    return {
      status: 200,
      message: 'Success',
      confirmation_number: grant.confirmation_number,
      approved: true,
    };
  }

  /** Takes the report of a donation, or of its cancellation; a repeated id gets the number that it has. */
  async #report(exchange: Exchange): Promise<void> {
    const body = await this.#readInvoiceCall(exchange);
    if (!body) {
      return;
    }
    const id = String(body.Donation_ID);
    this.#record.asked(id);
    const mode = this.#modes.take(id);
    if (await fails(mode, exchange)) {
      return;
    }
    const { shape, content } = checkDonation(body, (number) =>
      this.#donations.newest(shownMax).some((grant) => grant.confirmation_number === number),
    );
    if (shape.length > 0) {
      return answerAs(mode, exchange, 422, { status: 422, message: { errors: shape } });
    }
    const errors =
      mode.mode === 'refuse' && content.length === 0
        ? [{ code: 460, message: 'the report was refused', param: 'Donation_ID', location: 'body' }]
        : content;
    if (errors.length > 0) {
      const refusal = { status: 200, message: { errors }, confirmation_number: '0', approved: false };
      return answerAs(mode, exchange, 200, refusal);
    }
    const grant = mode.mode === 'foreign' ? this.#donations.another(id) : this.#donations.grant(id);
    return answerAs(mode, exchange, 200, {
      status: 200,
      message: 'Success',
      Donation_ID: grant.invoice_id,
      confirmation_number: grant.confirmation_number,
      approved: true,
    });
  }

  async #findReport(exchange: Exchange): Promise<void> {
    const body = await this.#readInvoiceCall(exchange);
    if (!body) {
      return;
    }
    const id = String(body.Donation_ID);
    const mode = this.#modes.take(id);
    if (await fails(mode, exchange)) {
      return;
    }
    const grant = mode.mode === 'foreign' ? this.#donations.another(id) : this.#donations.find(id);
    this.#record.lookedUp(id, grant !== undefined);
    if (grant === undefined) {
      return answerAs(mode, exchange, 404, { status: 404, message: 'no report with this Donation_ID' });
    }
    return answerAs(mode, exchange, 200, {
      status: 200,
      message: 'Success',
      Donation_ID: grant.invoice_id,
      confirmation_number: grant.confirmation_number,
    });
  }

  async #lookUp(exchange: Exchange): Promise<void> {
    const body = await this.#readInvoiceCall(exchange);
    if (!body) {
      return;
    }
    const mode = this.#modes.take(body.invoice_id);
    if (await fails(mode, exchange)) {
      return;
    }
    const invoiceId = body.invoice_id;
    if (typeof invoiceId !== 'string') {
      const error = { code: 422, message: 'invoice_id is mandatory', param: 'invoice_id', location: 'body' };
      return sendJson(exchange.response, 422, { status: 422, message: { errors: [error] } });
    }
    const grant = mode.mode === 'foreign' ? this.#numbers.another(invoiceId) : this.#numbers.find(invoiceId);
    this.#record.lookedUp(invoiceId, grant !== undefined);
    if (grant === undefined) {
      return answerAs(mode, exchange, 404, { status: 404, message: 'no number for this invoice_id' });
    }
    await answerAs(mode, exchange, 200, {
      status: 200,
      message: 'Success',
      invoice_id: grant.invoice_id,
      confirmation_number: grant.confirmation_number,
    });
  }

  /** The body of a call that needs an access token; undefined when the call was rejected already. */
  async #readInvoiceCall(exchange: Exchange): Promise<Record<string, unknown> | undefined> {
    const { request, response, received } = exchange;
    const body = await readJsonObject(request).catch((cause: unknown) => cause as HttpError);
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!bearer || !this.#tokens.isAlive(bearer)) {
      sendJson(response, 401, badAccessToken);
      return undefined;
    }
    if (body instanceof Error) {
      sendJson(response, 400, { status: 400, message: body.message });
      return undefined;
    }
    received.body = body;
    return body;
  }
}

/** Answers as the mode says: late, or by closing the connection instead. */
async function answerAs(
  mode: Mode,
  { response, call }: Exchange,
  status: number,
  answer: object,
): Promise<void> {
  if (mode.delay_ms > 0) {
    await pause(mode.delay_ms, call.gone);
  }
  if (mode.mode === 'lost') {
    response.destroy();
  } else {
    sendJson(response, status, answer);
  }
}

/** Plays the failures that come before a request is judged. Returns whether it did. */
async function fails(mode: Mode, { response, call }: Exchange): Promise<boolean> {
  switch (mode.mode) {
    case 'unauthorized':
      sendJson(response, 401, badAccessToken);
      return true;
    case 'forbidden':
      sendJson(response, 403, { status: 403, message: 'the application is not subscribed' });
      return true;
    case 'error':
      if (mode.delay_ms > 0) {
        await pause(mode.delay_ms, call.gone);
      }
      sendJson(response, 500, { status: 500, message: 'Internal Server Error', Error_Id: randomUUID() });
      return true;
    case 'malformed':
      if (mode.delay_ms > 0) {
        await pause(mode.delay_ms, call.gone);
      }
      send(
        response,
        200,
        'application/json; charset=utf-8',
        Buffer.from('{"status":200,"approved":true,"confir'),
      );
      return true;
    case 'hang':
      await pause(hangMaxMs, call.gone);
      response.destroy();
      return true;
    default:
      return false;
  }
}

function todayInIsrael(): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Jerusalem' }).format(new Date());
}
