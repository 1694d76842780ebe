import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, send } from '@pinkas/service-kit/http';
import {
  type Call,
  hangMaxMs,
  type Listen,
  modeRules,
  pause,
  type RunningSimulator,
  readJsonObject,
  readMode,
  sendJson,
  serveHttp,
  shownMax,
} from '../http.js';
import { JsonLinesFile } from '../json-lines-file.js';
import { type CloudApiError, checkMessage } from './template-message.js';

/** What {@link startWhatsApp} needs. */
interface WhatsAppOptions extends Listen {
  /** The only phone that may send. Without it any may. */
  readonly phoneNumberId?: string | undefined;
  /** The only token that is accepted. Without it any is. */
  readonly token?: string | undefined;
  /** The only templates that are approved. Without them any is. */
  readonly templates?: readonly string[] | undefined;
  /** Where accepted messages are stored over restarts. Without it they are in memory only. */
  readonly dataDir?: string | undefined;
}

interface Mode {
  /**
   * What happens to valid messages: `ok`; `refuse` (HTTP 400 with `code`); `error_in_200` (the same in a HTTP 200);
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
const noFailure: Mode = { mode: 'ok', delay_ms: 0, code: 131026, times: 0 };

interface ReceivedCall {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly path: string;
  /** What was sent; null where it was no JSON. */
  body: unknown;
  /** Null until it is answered. */
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
 * checks the form of every template message and stores those that it accepts. Tests set failures by `POST /_mode` and read
 * what was received by `GET /_calls`.
 */
export function startWhatsApp(options: WhatsAppOptions): Promise<RunningSimulator> {
  const simulator = new WhatsAppSimulator(options);
  return serveHttp(options, (request, response, call) => simulator.handle(request, response, call));
}

class WhatsAppSimulator {
  readonly #options: WhatsAppOptions;
  readonly #file: JsonLinesFile<AcceptedMessage>;
  readonly #accepted: AcceptedMessage[];
  readonly #calls: ReceivedCall[] = [];
  #mode = noFailure;
  #met = 0;

  constructor(options: WhatsAppOptions) {
    this.#options = options;
    this.#file = new JsonLinesFile<AcceptedMessage>(options.dataDir, 'accepted.jsonl');
    this.#accepted = this.#file.earlier.slice(-shownMax);
  }

  async handle(request: IncomingMessage, response: ServerResponse, call: Call): Promise<void> {
    switch (`${request.method} ${call.url.pathname}`) {
      case 'GET /health':
        return sendJson(response, 200, { status: 'up' });
      case 'POST /_mode':
        return this.#setMode(request, response);
      case 'GET /_calls':
        return sendJson(response, 200, { ...this.#mode, calls: this.#calls, accepted: this.#accepted });
    }
    const sender = /^(?:\/v\d+\.\d+)?\/(\d+)\/messages$/.exec(call.url.pathname)?.[1];
    if (request.method !== 'POST' || sender === undefined) {
      throw new HttpError(404, 'no such path');
    }
    const received = this.#receive(call, response);
    const body = await readJsonObject(request).catch((cause: unknown) => cause as HttpError);
    if (!(body instanceof Error)) {
      received.body = body;
    }
    const error = this.#checkCall(request, sender, body);
    if (error || body instanceof Error) {
      return refuse(response, error ?? invalidBody((body as Error).message));
    }
    return this.#answer(body, response, call);
  }

  async #setMode(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#mode = await readMode(request, noFailure, {
      mode: modeRules.oneOf(['ok', 'refuse', 'error', 'error_in_200', 'hang', 'malformed']),
      delay_ms: modeRules.delayMs,
      code: modeRules.count,
      times: modeRules.count,
    });
    this.#met = 0;
    sendJson(response, 200, this.#mode);
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

  /** What the API rejects before and in the message, in its order. */
  #checkCall(
    request: IncomingMessage,
    sender: string,
    body: Record<string, unknown> | HttpError,
  ): CloudApiError | undefined {
    const { token, phoneNumberId, templates } = this.#options;
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!bearer || (token && bearer !== token)) {
      return {
        status: 401,
        code: 190,
        message: 'Error validating access token',
        details: 'the access token is missing or unknown',
      };
    }
    if (phoneNumberId && sender !== phoneNumberId) {
      return {
        status: 400,
        code: 100,
        message: 'Unsupported post request',
        details: `Object with ID '${sender}' does not exist`,
      };
    }
    if (body instanceof Error) {
      return invalidBody(body.message);
    }
    if (!request.headers['content-type']?.startsWith('application/json')) {
      return invalidBody('the body must be sent as application/json');
    }
    return checkMessage(body, templates);
  }

  /** Answers a valid message as the mode says. */
  async #answer(body: Record<string, unknown>, response: ServerResponse, { gone }: Call): Promise<void> {
    const mode = this.#takeMode();
    const message = mode.mode === 'ok' ? this.#accept(body) : undefined;
    if (mode.mode === 'hang') {
      await pause(hangMaxMs, gone);
      response.destroy();
      return;
    }
    if (mode.delay_ms > 0) {
      await pause(mode.delay_ms, gone);
    }
    if (message) {
      return sendJson(response, 200, {
        messaging_product: 'whatsapp',
        contacts: [{ input: message.to, wa_id: message.to.replace(/^\+/, '') }],
        messages: [{ id: message.id, message_status: 'accepted' }],
      });
    }
    answerFailure(mode, response);
  }

  /** The mode that the next message meets; counts it. */
  #takeMode(): Mode {
    const mode = this.#mode;
    this.#met += 1;
    if (mode.times > 0 && this.#met >= mode.times) {
      this.#mode = noFailure;
    }
    return mode;
  }

  #accept(body: Record<string, unknown>): AcceptedMessage {
    const message: AcceptedMessage = {
      at: new Date().toISOString(),
      id: `wamid.${randomBytes(24).toString('base64')}`,
      to: String(body.to),
      body,
    };
    this.#file.append(message);
    this.#accepted.push(message);
    if (this.#accepted.length > shownMax) {
      this.#accepted.shift();
    }
    return message;
  }
}

const invalidBody = (details: string): CloudApiError => ({
  status: 400,
  code: 100,
  message: 'Invalid parameter',
  details,
});

function answerFailure({ mode, code }: Mode, response: ServerResponse): void {
  const error = { code, message: 'Refused', details: 'the simulator is in a mode that refuses' };
  switch (mode) {
    case 'refuse':
      refuse(response, { status: 400, ...error });
      break;
    case 'error_in_200':
      refuse(response, { status: 200, ...error });
      break;
    case 'error':
      refuse(response, { ...error, status: 500, code: 131000, message: 'Something went wrong' });
      break;
    default:
      send(response, 200, 'application/json; charset=utf-8', Buffer.from('{"messaging_product":"wh'));
  }
}

/** Answers with the API's error object. */
function refuse(response: ServerResponse, { status, code, message, details }: CloudApiError): void {
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
