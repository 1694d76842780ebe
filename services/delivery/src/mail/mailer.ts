import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import { createTransport } from 'nodemailer';
import type { DeliveryConfig } from '../config.js';
import type { SendOutcome } from '../delivery/after-send.js';
import type { Letter } from './letter.js';
import { type SmtpError, sendFailure } from './send-failure.js';

/** How many messages are handed over at once, each on a connection of its own that is kept for the next. */
export const messagesAtOnceMax = 5;
const connectTimeoutMaxMs = 10_000;

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
      dnsTimeout: connectMs,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silenceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
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
  async send(mail: Mail): Promise<SendOutcome> {
    const streams: Readable[] = [];
    this.#streams.set(mail.messageId, streams);
    try {
      await this.#transport.sendMail({
        from: { name: mail.fromName, address: this.config.mailFrom },
        to: { name: '', address: mail.recipient },
        ...(mail.replyTo === null ? {} : { replyTo: { name: '', address: mail.replyTo } }),
        // The envelope is said apart, so that no header can add to it.
        envelope: { from: this.config.mailFrom, to: [mail.recipient] },
        messageId: mail.messageId,
        subject: mail.letter.subject,
        text: mail.letter.text,
        html: mail.letter.html,
        headers: { 'Auto-Submitted': 'auto-generated' },
        attachments: [{ filename: mail.letter.fileName, content: mail.pdf, contentType: 'application/pdf' }],
        signal: AbortSignal.timeout(this.sendTimeoutMs),
      });
      return { kind: 'accepted' };
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
}
