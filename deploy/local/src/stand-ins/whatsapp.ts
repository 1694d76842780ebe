import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Call,
  type Listen,
  listenFrom,
  modeRules,
  pause,
  Refusal,
  type RunningStandIn,
  readJsonObject,
  readMode,
  runAsProcess,
  send,
  sendJson,
  serveHttp,
} from './http.js';
import { Journal } from './journal.js';
import { type CloudApiFault, checkMessage } from './whatsapp-message.js';

/** How many calls, and how many messages, `GET /_calls` shows at most. */
const shownMax = 10_000;
/** The longest that a hanging call is held open. */
const hangMaxMs = 600_000;

/** What {@link startWhatsApp} needs. */
export interface WhatsAppOptions extends Listen {
  /** The only phone that may send. Without it any may. */
  readonly phoneNumberId?: string | undefined;
  /** The only token that is right. Without it any is. */
  readonly token?: string | undefined;
  /** The only template that is approved. Without it any is. */
  readonly template?: string | undefined;
  /** Where accepted messages are kept over restarts. Without it they are kept in memory only. */
  readonly dataDir?: string | undefined;
}

interface Mode {
  /**
   * What happens to messages in the right form: `ok`; `refuse` (HTTP 400 with `code`); `error_in_200` (the same in a HTTP 200);
   * `error` (HTTP 500); `hang` (no answer, and nothing is accepted); `malformed` (HTTP 200 with half a JSON body, and nothing
   * is accepted).
   */
  readonly mode: 'ok' | 'refuse' | 'error' | 'error_in_200' | 'hang' | 'malformed';
  /** How late the answer comes, in milliseconds. The message is accepted before: a caller who does not wait misses it. */
  readonly delay_ms: number;
  /** The API's code in `refuse` and `error_in_200`. */
  readonly code: number;
  /** How many messages meet the mode before it is `ok` again; 0: every one. */
  readonly times: number;
}

/** 131026: the number has no WhatsApp. */
const noFaults: Mode = { mode: 'ok', delay_ms: 0, code: 131026, times: 0 };

interface ReceivedCall {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly path: string;
  /** What was sent; null where it was no JSON. */
  body: unknown;
  /** Null as long as it is not answered. */
  status: number | null;
}

interface AcceptedMessage {
  readonly at: string;
  readonly id: string;
  readonly to: string;
  readonly body: Record<string, unknown>;
}

/**
 * Starts a simulator of the WhatsApp Cloud API's `POST /{phone-number-id}/messages`, with or without a version in front. It
 * holds every message against the form of a template message, and keeps those that it accepts. For tests of faults,
 * `POST /_mode` and `GET /_calls`.
 */
export async function startWhatsApp(options: WhatsAppOptions): Promise<RunningStandIn> {
  const journal = new Journal<AcceptedMessage>(options.dataDir, 'accepted.jsonl');
  const accepted = journal.earlier.slice(-shownMax);
  const calls: ReceivedCall[] = [];
  let mode = noFaults;
  let met = 0;

  return serveHttp(options, async (request, response, call) => {
    switch (`${request.method} ${call.url.pathname}`) {
      case 'GET /health':
        return sendJson(response, 200, { status: 'up' });
      case 'POST /_mode':
        mode = await readMode(request, noFaults, {
          mode: modeRules.oneOf(['ok', 'refuse', 'error', 'error_in_200', 'hang', 'malformed']),
          delay_ms: modeRules.delayMs,
          code: modeRules.count,
          times: modeRules.count,
        });
        met = 0;
        return sendJson(response, 200, mode);
      case 'GET /_calls':
        return sendJson(response, 200, { ...mode, calls, accepted });
    }
    const sender = /^(?:\/v\d+\.\d+)?\/(\d+)\/messages$/.exec(call.url.pathname)?.[1];
    if (request.method !== 'POST' || sender === undefined) throw new Refusal(404, 'no such path');
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
    return take(request, response, call, sender, received);
  });

  async function take(
    request: IncomingMessage,
    response: ServerResponse,
    { gone }: Call,
    sender: string,
    received: ReceivedCall,
  ): Promise<void> {
    const body = await readJsonObject(request).catch((cause: unknown) => cause as Refusal);
    if (!(body instanceof Error)) received.body = body;
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!bearer || (options.token && bearer !== options.token)) {
      return refuse(response, {
        status: 401,
        code: 190,
        message: 'Error validating access token',
        details: 'the access token is missing or unknown',
      });
    }
    if (options.phoneNumberId && sender !== options.phoneNumberId) {
      return refuse(response, {
        status: 400,
        code: 100,
        message: 'Unsupported post request',
        details: `Object with ID '${sender}' does not exist`,
      });
    }
    if (!request.headers['content-type']?.startsWith('application/json') || body instanceof Error) {
      return refuse(response, {
        status: 400,
        code: 100,
        message: 'Invalid parameter',
        details: body instanceof Error ? body.message : 'the body must be sent as application/json',
      });
    }
    const fault = checkMessage(body, options.template);
    if (fault) return refuse(response, fault);

    const current = mode;
    met += 1;
    if (current.times > 0 && met >= current.times) mode = noFaults;
    const message = current.mode === 'ok' ? accept(body) : undefined;
    if (current.mode === 'hang') {
      await pause(hangMaxMs, gone);
      response.destroy();
      return;
    }
    if (current.delay_ms > 0) await pause(current.delay_ms, gone);
    if (message) {
      return sendJson(response, 200, {
        messaging_product: 'whatsapp',
        contacts: [{ input: message.to, wa_id: message.to.replace(/^\+/, '') }],
        messages: [{ id: message.id, message_status: 'accepted' }],
      });
    }
    const said = { code: current.code, message: 'Refused', details: 'the simulator was told to refuse' };
    switch (current.mode) {
      case 'refuse':
        return refuse(response, { status: 400, ...said });
      case 'error_in_200':
        return refuse(response, { status: 200, ...said });
      case 'error':
        return refuse(response, { ...said, status: 500, code: 131000, message: 'Something went wrong' });
      default:
        return send(
          response,
          200,
          'application/json; charset=utf-8',
          Buffer.from('{"messaging_product":"wh'),
        );
    }
  }

  function accept(body: Record<string, unknown>): AcceptedMessage {
    const message: AcceptedMessage = {
      at: new Date().toISOString(),
      id: `wamid.${randomBytes(24).toString('base64')}`,
      to: String(body.to),
      body,
    };
    journal.append(message);
    accepted.push(message);
    if (accepted.length > shownMax) accepted.shift();
    return message;
  }
}

/** The API's way of saying no. */
function refuse(response: ServerResponse, { status, code, message, details }: CloudApiFault): void {
  sendJson(response, status, {
    error: {
      message: `(#${code}) ${message}`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details },
      fbtrace_id: randomBytes(8).toString('hex'),
    },
  });
}

await runAsProcess(import.meta.url, 'whatsapp', (environment) =>
  startWhatsApp({
    ...listenFrom(environment),
    phoneNumberId: environment.PHONE_NUMBER_ID || undefined,
    token: environment.TOKEN || undefined,
    template: environment.TEMPLATE || undefined,
    dataDir: environment.DATA_DIR || undefined,
  }),
);
