import { isIP, type LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import { Agent, type Dispatcher, request } from 'undici';
import type { DeliveryConfig } from '../config.js';
import { isAllowedAddress } from '../public-address.js';
import { AddressResolver } from './address-resolver.js';
import { endpointUrlError, hostOf } from './endpoint-url.js';

/** How much of an answer is read. */
const responseBytesMax = 4 * 1024;
/** Cookies and policies of some frameworks come near it; what it counts as received is not in them. */
const headerBytesMax = 16 * 1024;
/** How much of it a reason quotes. */
const quotedMax = 200;

/** The result of a request to an endpoint. */
export interface WebhookOutcome {
  /** Null where there was no answer. */
  readonly status: number | null;
  /** Why it counts as failed, without an address of ours; null where it was received. */
  readonly reason: string | null;
  /** The first 4 KB of the answer. */
  readonly response: string;
}

/** A request that was not sent, or had no answer; the message is for the owner. */
class NotAnsweredError extends Error {
  override readonly name = 'NotAnsweredError';
}

/**
 * Sends requests to addresses that strangers choose, and to no network but the public one: the name is resolved once, every address
 * of it is judged, and the connection goes to those. No redirect is followed, and no connection is used twice.
 */
@Injectable()
export class WebhookClient {
  constructor(
    @InjectConfig()
    private readonly config: Pick<DeliveryConfig, 'production' | 'webhookAllow' | 'webhookTimeoutMs'>,
    private readonly resolver: AddressResolver,
  ) {}

  /** Never rejects. */
  async post(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<WebhookOutcome> {
    const signal = timeoutSignal(this.config.webhookTimeoutMs);
    let agent: Agent | undefined;
    try {
      const url = new URL(address);
      const addresses = await this.#addressesOf(url, signal);
      agent = new Agent({
        connect: { lookup: lookupOf(addresses), timeout: this.config.webhookTimeoutMs },
        maxHeaderSize: headerBytesMax,
      });
      return await answerOf(await request(url, { method: 'POST', headers, body, dispatcher: agent, signal }));
    } catch (error) {
      return { status: null, reason: reasonOf(error, signal), response: '' };
    } finally {
      // The rest of an answer that was not read ends with its connection.
      agent?.destroy().catch(() => {});
    }
  }

  /** @throws NotAnsweredError where one of them is not public. */
  async #addressesOf(url: URL, signal: AbortSignal): Promise<readonly string[]> {
    const error = endpointUrlError(url.href, this.config);
    if (error !== null) {
      throw new NotAnsweredError(`The address ${error}.`);
    }
    const host = hostOf(url);
    const addresses = isIP(host) === 0 ? await withSignal(this.resolver.resolve(host), signal) : [host];
    if (addresses.length === 0) {
      throw new NotAnsweredError('The name of the host does not resolve.');
    }
    if (!addresses.every((found) => isAllowedAddress(found, this.config.webhookAllow))) {
      throw new NotAnsweredError('The name of the host leads to an address that is not public.');
    }
    return addresses;
  }
}

/** Gives a socket the addresses that were judged, whatever the DNS states by now. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    const [first] = found;
    if (options.all) {
      done(null, found);
    } else {
      done(null, first?.address ?? '', first?.family);
    }
  };
}

async function answerOf({ statusCode, body }: Dispatcher.ResponseData): Promise<WebhookOutcome> {
  const response = await readStart(body);
  const isReceived = statusCode >= 200 && statusCode < 300;
  const quoted = response.slice(0, quotedMax).trim();
  const reason = `The endpoint answered ${statusCode}${quoted === '' ? '.' : `: ${quoted}`}`;
  return { status: statusCode, reason: isReceived ? null : reason, response };
}

/** The start of a body, as far as it comes: the status has decided already. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes >= responseBytesMax) {
        break;
      }
    }
  } catch {
    // It was cut off, or too slow.
  }
  // PostgreSQL stores every character but NUL.
  const text = decodeStart(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD');
  // What is no UTF-8 takes three bytes for each of its own.
  return decodeStart(Buffer.from(text));
}

const decodeStart = (bytes: Buffer): string => new TextDecoder().decode(bytes.subarray(0, responseBytesMax));

async function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return Promise.race([
    work,
    new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    ),
  ]);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before there was an answer.',
  EPIPE: 'The connection was closed before there was an answer.',
  UND_ERR_SOCKET: 'The connection was closed before there was an answer.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'There was no answer in time.',
  UND_ERR_CONNECT_TIMEOUT: 'There was no answer in time.',
  UND_ERR_HEADERS_TIMEOUT: 'There was no answer in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too large.',
};

/** In words of ours: those of a library name addresses. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof NotAnsweredError) {
    return error.message;
  }
  if (signal.aborted) {
    return 'There was no answer in time.';
  }
  const code = codeOf(error);
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `The TLS connection failed: ${code}.`;
  }
  return reasons[code] ?? 'The answer is no HTTP response.';
}

function codeOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const { code } = first as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
