import { type IncomingMessage, request as requestOverHttp } from 'node:http';
import { request as requestOverHttps } from 'node:https';
import { Injectable } from '@nestjs/common';
import { InjectConfig, inSpan, SpanKind } from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import type { DeliveryConfig, WhatsAppAccount } from '../config.js';
import { recordOutcome } from '../message/outcome-span.js';
import type { SendOutcome } from '../message/send-policy.js';
import { whatsappNotConfigured } from '../message/send-policy.js';
import { truncate } from '../message/truncate.js';
import { parseResponse } from './cloud-api-response.js';
import { type TemplateFacts, templateMessage } from './template-message.js';

/** The senders of messages of test books where there is no account. */
const unnamedTemplates = { template: '', followUpTemplate: '', languages: { he: 'he', en: 'en' } } as const;

/** The API's responses are a few hundred bytes. */
const responseBytesMax = 64 * 1024;

/** Sends messages through the WhatsApp Cloud API. */
@Injectable()
export class WhatsAppClient {
  readonly #account: WhatsAppAccount | null;

  constructor(@InjectConfig() config: DeliveryConfig) {
    this.#account = config.whatsapp;
  }

  /** Whether an account is configured. */
  get isConfigured(): boolean {
    return this.#account !== null;
  }

  /** The longest that an attempt takes. */
  get sendTimeoutMs(): number {
    return this.#account?.timeoutMs ?? 0;
  }

  /** A message as it would be posted; without an account the templates have no name. */
  messageOf(message: TemplateFacts): object {
    return templateMessage(message, this.#account ?? unnamedTemplates);
  }

  /** One attempt; never throws. */
  async send(message: TemplateFacts): Promise<SendOutcome> {
    if (!this.#account) {
      return { kind: 'permanent', reason: whatsappNotConfigured };
    }
    const { url, phoneNumberId, token, timeoutMs } = this.#account;
    const address = new URL(`${url}/${phoneNumberId}/messages`);
    const body = templateMessage(message, this.#account);
    const attributes = { 'http.request.method': 'POST', 'server.address': address.hostname };
    return inSpan('send whatsapp', { kind: SpanKind.CLIENT, attributes }, async (span) =>
      recordOutcome(span, await post(address, token, body, timeoutMs)),
    );
  }
}

/**
 * Posts on a new connection: only there it is certain that nothing was written before it was established, so that an earlier
 * failure is temporary and a later one has an unknown outcome.
 */
function post(url: URL, token: string, message: object, timeoutMs: number): Promise<SendOutcome> {
  const body = Buffer.from(JSON.stringify(message));
  const secure = url.protocol === 'https:';
  return new Promise((resolve) => {
    let mayHaveArrived = false;
    const fail = (error: Error) => {
      const reason = truncate(error.message);
      resolve({ kind: mayHaveArrived ? 'unknown' : 'temporary', reason });
    };
    const request = (secure ? requestOverHttps : requestOverHttp)(url, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
      signal: timeoutSignal(timeoutMs),
    });
    request.once('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        mayHaveArrived = true;
      });
    });
    request.once('error', fail);
    request.once('response', (response) => {
      read(response).then((text) => resolve(parseResponse(response.statusCode ?? 0, text)), fail);
    });
    request.end(body);
  });
}

/** @throws when the connection breaks, or the answer is larger than any answer of the API. */
async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > responseBytesMax) {
      throw new Error(`The answer is larger than ${responseBytesMax} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
