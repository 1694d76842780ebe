import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkApproval } from './approval-request.js';
import { GrantLedger } from './grant-ledger.js';
import {
  type Call,
  type Listen,
  listenFrom,
  pause,
  Refusal,
  type RunningStandIn,
  readBody,
  readJsonObject,
  runAsProcess,
  send,
  sendJson,
  serveHttp,
} from './http.js';
import { OAuthTokens } from './oauth-tokens.js';
import { type Mode, Modes } from './tax-authority-modes.js';
import { AuthorityRecord } from './tax-authority-record.js';

/** How many calls, and how many grants, `GET /_calls` shows at most. */
const shownMax = 10_000;
/** The longest that a hanging call is held open. */
const hangMaxMs = 600_000;

/** What {@link startTaxAuthority} needs. */
export interface TaxAuthorityOptions extends Listen {
  /** The only client that may fetch tokens. Without it any client may. */
  readonly clientId?: string | undefined;
  /** The secret of that client. Without it any secret is right. */
  readonly clientSecret?: string | undefined;
  /** Where grants and refresh tokens are kept over restarts. Without it they are kept in memory only. */
  readonly dataDir?: string | undefined;
}

interface ReceivedCall {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly path: string;
  /** What was sent; of a token request only the kind of grant. */
  body: unknown;
  /** Null as long as it is not answered. */
  status: number | null;
}

/**
 * Starts a simulator of the Israel Tax Authority's invoice API, version 2, under `/shaam/{env}`: OAuth2 with rotating
 * refresh tokens, approval of invoices, look-up of a number. For tests of faults, `POST /_mode` (see `Modes`) and `GET /_calls`: what
 * was received, every number that was granted, and what {@link AuthorityRecord} keeps.
 */
export async function startTaxAuthority(options: TaxAuthorityOptions): Promise<RunningStandIn> {
  const tokens = new OAuthTokens(options.dataDir);
  const ledger = new GrantLedger(options.dataDir);
  const calls: ReceivedCall[] = [];
  const record = new AuthorityRecord();
  const modes = new Modes();

  return serveHttp(options, async (request, response, call) => {
    switch (`${request.method} ${call.url.pathname}`) {
      case 'GET /health':
        return sendJson(response, 200, { status: 'up' });
      case 'POST /_mode':
        return sendJson(response, 200, await modes.read(request));
      case 'GET /_calls':
        return sendJson(response, 200, {
          ...modes.shown(),
          calls,
          granted: ledger.newest(shownMax),
          ...record.shown(),
        });
    }
    const path = /^\/shaam\/[\w-]+\/(.+)$/.exec(call.url.pathname)?.[1];
    if (path === undefined) throw new Refusal(404, 'no such path');

    const received: ReceivedCall = {
      at: new Date().toISOString(),
      path: call.url.pathname,
      body: null,
      status: null,
    };
    calls.push(received);
    if (calls.length > shownMax) calls.shift();
    response.once('finish', () => {
      received.status = response.statusCode;
    });

    switch (`${request.method} ${path}`) {
      case 'GET longtimetoken/oauth2/authorize':
        return authorize(response, call, received);
      case 'POST longtimetoken/oauth2/token':
        return token(request, response, received);
      case 'POST Invoices/v2/Approval':
        return approve(request, response, call, received);
      case 'POST invoice-information/v1/confirmationNumber':
        return lookUp(request, response, call, received);
      default:
        return sendJson(response, 404, { status: 404, message: 'no such path' });
    }
  });

  /** The browser's step. The real authority asks for a login here; the simulator consents at once. */
  function authorize(response: ServerResponse, { url }: Call, received: ReceivedCall): void {
    const query = url.searchParams;
    received.body = Object.fromEntries(query);
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!URL.canParse(redirectUri)) throw new Refusal(400, 'redirect_uri is missing or no address');
    const clientId = query.get('client_id') ?? '';
    if (clientId === '' || (options.clientId && clientId !== options.clientId)) {
      throw new Refusal(400, 'client_id is unknown');
    }
    const target = new URL(redirectUri);
    if (query.get('response_type') === 'code') {
      target.searchParams.set('code', tokens.newCode(clientId, redirectUri));
    } else {
      target.searchParams.set('error', 'unsupported_response_type');
    }
    const state = query.get('state');
    if (state !== null) target.searchParams.set('state', state);
    response.writeHead(302, { location: target.href, 'content-length': 0 }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse, received: ReceivedCall) {
    const form = new URLSearchParams((await readBody(request, 64 * 1024)).toString('utf8'));
    const grantType = form.get('grant_type');
    received.body = { grant_type: grantType };
    if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
      return sendJson(response, 400, {
        error: 'invalid_request',
        error_description: 'the body must be form-encoded',
      });
    }
    const clientId = clientOf(request, form);
    if (clientId === undefined) {
      response.setHeader('www-authenticate', 'Basic realm="shaam"');
      return sendJson(response, 401, { error: 'invalid_client' });
    }
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
      return sendJson(response, 400, { error: 'unsupported_grant_type' });
    }
    const answer =
      grantType === 'authorization_code'
        ? tokens.fromCode(clientId, form.get('code') ?? '', form.get('redirect_uri') ?? '')
        : tokens.fromRefreshToken(clientId, form.get('refresh_token') ?? '');
    record.tokenUsed({ grant_type: grantType, client_id: clientId, given: answer !== undefined });
    if (!answer) return sendJson(response, 400, { error: 'invalid_grant' });
    response.setHeader('cache-control', 'no-store');
    return sendJson(response, 200, answer);
  }

  /** The client names itself by Basic authentication, or in the body. Undefined where it is not the one it says. */
  function clientOf(request: IncomingMessage, form: URLSearchParams): string | undefined {
    const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const [id, ...rest] = Buffer.from(basic ?? '', 'base64')
      .toString('utf8')
      .split(':');
    const clientId = basic ? id : form.get('client_id');
    const secret = basic ? rest.join(':') : form.get('client_secret');
    if (!clientId || !secret) return undefined;
    if (options.clientId && clientId !== options.clientId) return undefined;
    if (options.clientSecret && secret !== options.clientSecret) return undefined;
    return clientId;
  }

  async function approve(
    request: IncomingMessage,
    response: ServerResponse,
    call: Call,
    received: ReceivedCall,
  ) {
    const body = await readInvoiceCall(request, response, received);
    if (!body) return;
    const invoiceId = String(body.invoice_id);
    record.asked(invoiceId);
    const mode = modes.take(body.invoice_id);
    if (await fails(mode, response, call)) return;
    const { shape, content } = checkApproval(body, todayInIsrael());
    const errors =
      mode.mode === 'refuse' && content.length === 0
        ? [{ code: 460, message: 'the number was refused', param: 'invoice_id', location: 'body' }]
        : content;
    const granted = () => (mode.mode === 'foreign' ? ledger.another(invoiceId) : ledger.grant(invoiceId));
    const answer =
      shape.length > 0
        ? { status: 422, message: { errors: shape } }
        : errors.length > 0
          ? { status: 200, message: { errors }, confirmation_number: '0', approved: false }
          : {
              status: 200,
              message: 'Success',
              confirmation_number: granted().confirmation_number,
              approved: true,
            };
    await answerAs(mode, response, call, answer.status, answer);
  }

  async function lookUp(
    request: IncomingMessage,
    response: ServerResponse,
    call: Call,
    received: ReceivedCall,
  ) {
    const body = await readInvoiceCall(request, response, received);
    if (!body) return;
    const mode = modes.take(body.invoice_id);
    if (await fails(mode, response, call)) return;
    if (typeof body.invoice_id !== 'string') {
      const fault = { code: 422, message: 'invoice_id is mandatory', param: 'invoice_id', location: 'body' };
      return sendJson(response, 422, { status: 422, message: { errors: [fault] } });
    }
    const grant = mode.mode === 'foreign' ? ledger.another(body.invoice_id) : ledger.find(body.invoice_id);
    record.lookedUp(body.invoice_id, grant !== undefined);
    const answer = grant
      ? {
          status: 200,
          message: 'Success',
          invoice_id: grant.invoice_id,
          confirmation_number: grant.confirmation_number,
        }
      : { status: 404, message: 'no number for this invoice_id' };
    await answerAs(mode, response, call, answer.status, answer);
  }

  /** Answers when the mode lets it, or cuts the connection instead. */
  async function answerAs(mode: Mode, response: ServerResponse, call: Call, status: number, answer: object) {
    if (mode.delay_ms > 0) await pause(mode.delay_ms, call.gone);
    if (mode.mode === 'lost') response.destroy();
    else sendJson(response, status, answer);
  }

  /** The body of a call that needs an access token, or nothing when the call was answered already. */
  async function readInvoiceCall(
    request: IncomingMessage,
    response: ServerResponse,
    received: ReceivedCall,
  ): Promise<Record<string, unknown> | undefined> {
    const body = await readJsonObject(request).catch((cause: unknown) => cause as Refusal);
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!bearer || !tokens.isAlive(bearer)) {
      sendJson(response, 401, { status: 401, message: 'the access token is missing, unknown or expired' });
      return undefined;
    }
    if (body instanceof Error) {
      sendJson(response, 400, { status: 400, message: body.message });
      return undefined;
    }
    received.body = body;
    return body;
  }

  /** Plays the faults that keep a request from being judged at all. Says whether it did. */
  async function fails(mode: Mode, response: ServerResponse, { gone }: Call): Promise<boolean> {
    switch (mode.mode) {
      case 'unauthorized':
        sendJson(response, 401, { status: 401, message: 'the access token is missing, unknown or expired' });
        return true;
      case 'forbidden':
        sendJson(response, 403, { status: 403, message: 'the application is not subscribed' });
        return true;
      case 'error':
        if (mode.delay_ms > 0) await pause(mode.delay_ms, gone);
        sendJson(response, 500, { status: 500, message: 'Internal Server Error', Error_Id: randomUUID() });
        return true;
      case 'malformed':
        if (mode.delay_ms > 0) await pause(mode.delay_ms, gone);
        send(
          response,
          200,
          'application/json; charset=utf-8',
          Buffer.from('{"status":200,"approved":true,"confir'),
        );
        return true;
      case 'hang':
        await pause(hangMaxMs, gone);
        response.destroy();
        return true;
      default:
        return false;
    }
  }
}

function todayInIsrael(): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Jerusalem' }).format(new Date());
}

await runAsProcess(import.meta.url, 'tax-authority', (environment) =>
  startTaxAuthority({
    ...listenFrom(environment),
    clientId: environment.CLIENT_ID || undefined,
    clientSecret: environment.CLIENT_SECRET || undefined,
    dataDir: environment.DATA_DIR || undefined,
  }),
);
