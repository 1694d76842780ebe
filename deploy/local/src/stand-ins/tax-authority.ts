import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkApproval } from './approval-request.js';
import { GrantLedger } from './grant-ledger.js';
import {
  type Call,
  type Listen,
  listenFrom,
  modeRules,
  pause,
  Refusal,
  type RunningStandIn,
  readBody,
  readJsonObject,
  readMode,
  runAsProcess,
  send,
  sendJson,
  serveHttp,
} from './http.js';
import { OAuthTokens } from './oauth-tokens.js';

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

interface Mode {
  /**
   * What happens to requests for numbers and look-ups (never to OAuth2): `ok`; `refuse` (HTTP 200, code 460); `error` (HTTP
   * 500); `hang` (no answer, and nothing is granted); `malformed` (HTTP 200 with half a JSON body).
   */
  readonly mode: 'ok' | 'refuse' | 'error' | 'hang' | 'malformed';
  /** How late the answer comes, in milliseconds. The number is granted before: a caller who does not wait misses it. */
  readonly delay_ms: number;
}

const noFaults: Mode = { mode: 'ok', delay_ms: 0 };

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
 * refresh tokens, approval of invoices, look-up of a number. For tests of faults, `POST /_mode` and `GET /_calls`.
 */
export async function startTaxAuthority(options: TaxAuthorityOptions): Promise<RunningStandIn> {
  const tokens = new OAuthTokens(options.dataDir);
  const ledger = new GrantLedger(options.dataDir);
  const calls: ReceivedCall[] = [];
  let mode = noFaults;

  return serveHttp(options, async (request, response, call) => {
    switch (`${request.method} ${call.url.pathname}`) {
      case 'GET /health':
        return sendJson(response, 200, { status: 'up' });
      case 'POST /_mode':
        mode = await readMode(request, noFaults, {
          mode: modeRules.oneOf(['ok', 'refuse', 'error', 'hang', 'malformed']),
          delay_ms: modeRules.delayMs,
        });
        return sendJson(response, 200, mode);
      case 'GET /_calls':
        return sendJson(response, 200, { ...mode, calls, granted: ledger.newest(shownMax) });
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
      target.searchParams.set('code', tokens.newCode(redirectUri));
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
    if (!knowsClient(request, form)) {
      response.setHeader('www-authenticate', 'Basic realm="shaam"');
      return sendJson(response, 401, { error: 'invalid_client' });
    }
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
      return sendJson(response, 400, { error: 'unsupported_grant_type' });
    }
    const answer =
      grantType === 'authorization_code'
        ? tokens.fromCode(form.get('code') ?? '', form.get('redirect_uri') ?? '')
        : tokens.fromRefreshToken(form.get('refresh_token') ?? '');
    if (!answer) return sendJson(response, 400, { error: 'invalid_grant' });
    response.setHeader('cache-control', 'no-store');
    return sendJson(response, 200, answer);
  }

  /** The client names itself by Basic authentication, or in the body. */
  function knowsClient(request: IncomingMessage, form: URLSearchParams): boolean {
    const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const [id, ...rest] = Buffer.from(basic ?? '', 'base64')
      .toString('utf8')
      .split(':');
    const clientId = basic ? id : form.get('client_id');
    const secret = basic ? rest.join(':') : form.get('client_secret');
    if (!clientId || !secret) return false;
    if (options.clientId && clientId !== options.clientId) return false;
    return !options.clientSecret || secret === options.clientSecret;
  }

  async function approve(
    request: IncomingMessage,
    response: ServerResponse,
    call: Call,
    received: ReceivedCall,
  ) {
    const body = await readInvoiceCall(request, response, received);
    if (!body || (await fails(response, call))) return;
    const { shape, content } = checkApproval(body, todayInIsrael());
    const { mode: kind, delay_ms: delayMs } = mode;
    const errors =
      kind === 'refuse' && content.length === 0
        ? [{ code: 460, message: 'the number was refused', param: 'invoice_id', location: 'body' }]
        : content;
    const answer =
      shape.length > 0
        ? { status: 422, message: { errors: shape } }
        : errors.length > 0
          ? { status: 200, message: { errors }, confirmation_number: '0', approved: false }
          : {
              status: 200,
              message: 'Success',
              confirmation_number: ledger.grant(String(body.invoice_id)).confirmation_number,
              approved: true,
            };
    if (delayMs > 0) await pause(delayMs, call.gone);
    sendJson(response, answer.status, answer);
  }

  async function lookUp(
    request: IncomingMessage,
    response: ServerResponse,
    call: Call,
    received: ReceivedCall,
  ) {
    const body = await readInvoiceCall(request, response, received);
    if (!body || (await fails(response, call))) return;
    if (typeof body.invoice_id !== 'string') {
      const fault = { code: 422, message: 'invoice_id is mandatory', param: 'invoice_id', location: 'body' };
      return sendJson(response, 422, { status: 422, message: { errors: [fault] } });
    }
    const grant = ledger.find(body.invoice_id);
    if (mode.delay_ms > 0) await pause(mode.delay_ms, call.gone);
    if (!grant) return sendJson(response, 404, { status: 404, message: 'no number for this invoice_id' });
    sendJson(response, 200, {
      status: 200,
      message: 'Success',
      invoice_id: grant.invoice_id,
      confirmation_number: grant.confirmation_number,
    });
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
  async function fails(response: ServerResponse, { gone }: Call): Promise<boolean> {
    switch (mode.mode) {
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
