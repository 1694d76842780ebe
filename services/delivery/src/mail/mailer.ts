import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { type ConnectionOptions, rootCertificates } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { InjectConfig, inSpan, SpanKind } from '@pinkas/service-kit';
import { createTransport } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { DeliveryConfig, SmtpTls } from '../config.js';
import { mailAddress } from '../delivery/address.js';
import type { SendOutcome } from '../delivery/after-send.js';
import { tellOutcome } from '../delivery/outcome-span.js';
import { shortLine } from '../delivery/short-line.js';
import { oneLine } from '../delivery/wording.js';
import type { Letter } from './letter.js';
import { type SmtpError, sendFailure } from './send-failure.js';

/** How many messages are handed over at once, each on a connection of its own that is kept for the next. */
export const messagesAtOnceMax = 5;
const connectTimeoutMaxMs = 10_000;

/** What the library is told of each mode; on a smtps:// connection none of it has a meaning. */
const tlsOptions: Readonly<Record<SmtpTls, object>> = {
  required: { requireTLS: true },
  opportunistic: { opportunisticTLS: true },
  off: { ignoreTLS: true },
};

/** One mail, ready to go. */
export interface Mail {
  readonly letter: Letter;
  readonly pdf: Buffer;
  /** With its angle brackets; the same on every try. */
  readonly messageId: string;
  readonly fromName: string;
  readonly replyTo: string | null;
  readonly recipient: string;
}

/** Hands mail over to the mail server. */
@Injectable()
export class Mailer {
  /** No handing over takes longer. */
  readonly sendTimeoutMs: number;
  readonly #transport;
  /** The messages that are being handed over, as the streams that the library reads them from. */
  readonly #streams = new Map<string, Readable[]>();

  constructor(@InjectConfig() private readonly config: DeliveryConfig) {
    const silenceMs = config.smtpTimeoutMs;
    const connectMs = Math.min(silenceMs, connectTimeoutMaxMs);
    this.sendTimeoutMs = silenceMs * 4;
    this.#transport = createTransport({
      url: config.smtpUrl,
      pool: true,
      maxConnections: messagesAtOnceMax,
      // A try is one try: what became of it is stored before there is another.
      maxRequeues: 0,
      dnsTimeout: connectMs,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silenceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...tlsOptions[config.smtpTls],
      tls: certificatesOf(config),
    });
    this.#transport.use('stream', (mail, done) => {
      const { message } = mail;
      message.processFunc((stream: Readable) => {
        this.#streams.get(message.messageId())?.push(stream);
        return stream;
      });
      done();
    });
  }

  /** Tries once. Never throws: whatever goes wrong is an outcome. */
  send(mail: Mail): Promise<SendOutcome> {
    const attributes = { 'server.address': new URL(this.config.smtpUrl).hostname };
    return inSpan('send mail', { kind: SpanKind.CLIENT, attributes }, async (span) =>
      tellOutcome(span, await this.#send(mail)),
    );
  }

  async #send(mail: Mail): Promise<SendOutcome> {
    const recipient = mailAddress(mail.recipient);
    if (recipient === null) return { kind: 'permanent', reason: 'That is no mail address.' };
    // One bound for all of it: the claim of the message covers no more.
    const signal = AbortSignal.timeout(this.sendTimeoutMs);
    if (!isAscii(recipient)) {
      const refusal = await this.#refusalOfLetters(signal);
      if (refusal) return refusal;
    }
    const streams: Readable[] = [];
    this.#streams.set(mail.messageId, streams);
    try {
      const { response } = await this.#transport.sendMail({
        from: { name: oneLine(mail.fromName), address: this.config.mailFrom },
        to: { name: '', address: recipient },
        ...(mail.replyTo === null ? {} : { replyTo: { name: '', address: mail.replyTo } }),
        // The envelope is said apart, so that no header can add to it.
        envelope: { from: this.config.mailFrom, to: [recipient] },
        messageId: mail.messageId,
        subject: mail.letter.subject,
        text: mail.letter.text,
        html: mail.letter.html,
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.letter.language },
        attachments: [{ filename: mail.letter.fileName, content: mail.pdf, contentType: 'application/pdf' }],
        signal,
      });
      return { kind: 'accepted', words: shortLine(response) };
    } catch (error) {
      // Read to its end, the message may have left to its last byte, and the server may have taken it.
      return sendFailure(
        error as SmtpError,
        streams.some((stream) => stream.readableEnded),
      );
    } finally {
      this.#streams.delete(mail.messageId);
    }
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.#transport.close();
  }

  /**
   * Why a recipient with letters beyond ASCII before the @ cannot be written to now, if so: only a server that offers SMTPUTF8
   * (RFC 6531) may be told such an address, and the library would tell any.
   */
  #refusalOfLetters(signal: AbortSignal): Promise<SendOutcome | undefined> {
    const connection = new SMTPConnection(this.#transport.options);
    return new Promise<SendOutcome | undefined>((resolve) => {
      const reason = 'The mail server did not say what it can do.';
      signal.addEventListener('abort', () => resolve({ kind: 'temporary', reason }), { once: true });
      connection.once('error', (error: Error) => resolve(sendFailure(error, false)));
      connection.connect(() => {
        const offers = /[ -]SMTPUTF8\b/im.test(connection.lastServerResponse || '');
        resolve(
          offers
            ? undefined
            : {
                kind: 'permanent',
                reason: 'The mail server takes no address with letters beyond ASCII (SMTPUTF8).',
              },
        );
      });
    }).finally(() => connection.close());
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII.
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** @throws when the file of the configuration cannot be read. */
function certificatesOf({ smtpCaFile, smtpTls, smtpUrl }: DeliveryConfig): ConnectionOptions {
  return {
    ...(smtpCaFile === null ? {} : { ca: [...rootCertificates, readFileSync(smtpCaFile, 'utf8')] }),
    // Whoever goes on without TLS where there is none does not ask whose it is where there is (RFC 7435).
    ...(smtpTls === 'opportunistic' && smtpUrl.startsWith('smtp:') ? { rejectUnauthorized: false } : {}),
  };
}
