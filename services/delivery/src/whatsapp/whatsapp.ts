import { type IncomingMessage, request as requestOverHttp } from 'node:http';
import { request as requestOverHttps } from 'node:https';
import { Injectable } from '@nestjs/common';
import { InjectConfig, inSpan, SpanKind } from '@pinkas/service-kit';
import type { DeliveryConfig, WhatsAppAccount } from '../config.js';
import type { SendOutcome } from '../delivery/after-send.js';
import type { DeliveryFacts } from '../delivery/delivery.tables.js';
import { whatsappIsNotSetUp } from '../delivery/delivery-plan.js';
import { tellOutcome } from '../delivery/outcome-span.js';
import { shortLine } from '../delivery/short-line.js';
import { readAnswer } from './cloud-api-answer.js';
import { templateMessage } from './template-message.js';

/** An answer of the API is a few hundred bytes; what is longer is none. */
const answerBytesMax = 64 * 1024;

/** Hands messages over to the WhatsApp Cloud API. */
@Injectable()
export class WhatsApp {
  readonly #account: WhatsAppAccount | null;

  constructor(@InjectConfig() config: DeliveryConfig) {
    this.#account = config.whatsapp;
  }

  /** Whether anything can be sent by WhatsApp here. */
  get isSetUp(): boolean {
    return this.#account !== null;
  }

  /** No handing over takes longer. */
  get sendTimeoutMs(): number {
    return this.#account?.timeoutMs ?? 0;
  }

  /** Tries once. Never throws: whatever goes wrong is an outcome. */
  async send(message: { id: string; recipient: string; facts: DeliveryFacts }): Promise<SendOutcome> {
    if (!this.#account) return { kind: 'permanent', reason: whatsappIsNotSetUp };
    const { url, phoneNumberId, token, timeoutMs } = this.#account;
    const address = new URL(`${url}/${phoneNumberId}/messages`);
    const body = templateMessage(message, this.#account);
    const attributes = { 'http.request.method': 'POST', 'server.address': address.hostname };
    return inSpan('send whatsapp', { kind: SpanKind.CLIENT, attributes }, async (span) =>
      tellOutcome(span, await post(address, token, body, timeoutMs)),
    );
  }
}

/**
 * Posts on a connection of its own: only of a new connection it is certain that, before it stands, nothing was written, so
 * that whatever fails until then may be tried again, while what fails after it is of unknown fate.
 */
function post(url: URL, token: string, message: object, timeoutMs: number): Promise<SendOutcome> {
  const body = Buffer.from(JSON.stringify(message));
  const secure = url.protocol === 'https:';
  return new Promise((resolve) => {
    let mayHaveArrived = false;
    const fail = (error: Error) => {
      const reason = shortLine(error.message);
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
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.once('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        mayHaveArrived = true;
      });
    });
    request.once('error', fail);
    request.once('response', (response) => {
      read(response).then((text) => resolve(readAnswer(response.statusCode ?? 0, text)), fail);
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
    if (length > answerBytesMax) throw new Error(`The answer is larger than ${answerBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
