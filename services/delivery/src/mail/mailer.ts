import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { type ConnectionOptions, rootCertificates } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { parseEmailAddress } from '@pinkas/domain';
import { InjectConfig, inSpan, SpanKind } from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import { createTransport } from 'nodemailer';
import DKIM from 'nodemailer/lib/dkim';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { DeliveryConfig, SmtpTls } from '../config.js';
import type { DkimKey } from '../dkim-keys.js';
import { recordOutcome } from '../message/outcome-span.js';
import type { SendOutcome } from '../message/send-policy.js';
import { truncate } from '../message/truncate.js';
import { singleLine } from '../message/wording.js';
import { type Email, type EmailLogo, logoContentId } from './compose-email.js';
import { type SmtpError, sendFailure } from './send-failure.js';

/** Send attempts in flight, each on a pooled connection of its own. */
export const sendConcurrencyMax = 5;
const connectTimeoutMaxMs = 10_000;

/** The library's options of each mode; they mean nothing on a smtps:// connection. */
const tlsOptions: Readonly<Record<SmtpTls, object>> = {
  required: { requireTLS: true },
  opportunistic: { opportunisticTLS: true },
  off: { ignoreTLS: true },
};

/** A composed email with its envelope and attachment. */
export interface OutgoingEmail {
  readonly email: Omit<Email, 'language'> & {
    /** Null: it is not stated. */
    readonly language: Email['language'] | null;
  };
  /** Attached under the name of the email; null: nothing is. */
  readonly pdf: Buffer | null;
  /** Shown by the HTML; null: none. */
  readonly logo: EmailLogo | null;
  /** With its angle brackets; the same on every attempt. */
  readonly messageId: string;
  /** The Message-ID of the message that it follows, with its angle brackets; null: it follows none. */
  readonly inReplyTo: string | null;
  readonly fromName: string;
  /** The address of the business's own that it is from; null: the platform's. */
  readonly fromAddress: string | null;
  readonly replyTo: string | null;
  readonly recipient: string;
}

/** Sends emails through the SMTP server. */
@Injectable()
export class Mailer {
  /** The longest that an attempt takes. */
  readonly sendTimeoutMs: number;
  readonly #transport;
  /** Host and port of the server that it sends through. */
  readonly server: string;
  /** The emails in flight, by Message-ID. */
  readonly #inFlight = new Map<string, { readonly signer: DKIM | null; readonly streams: Readable[] }>();

  constructor(@InjectConfig() private readonly config: DeliveryConfig) {
    this.server = new URL(config.smtpUrl).host;
    const silenceMs = config.smtpTimeoutMs;
    const connectMs = Math.min(silenceMs, connectTimeoutMaxMs);
    this.sendTimeoutMs = silenceMs * 4;
    this.#transport = createTransport({
      url: config.smtpUrl,
      pool: true,
      maxConnections: sendConcurrencyMax,
      // One attempt at a time: its outcome is stored before the next.
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
      message.processFunc((composed: Readable) => {
        const sending = this.#inFlight.get(message.messageId());
        // Signed here rather than by the library's option, so that what is watched is what leaves.
        const stream = sending?.signer?.sign(composed) ?? composed;
        sending?.streams.push(stream);
        return stream;
      });
      done();
    });
  }

  /** Whether emails of a domain are signed: what leaves under another's unsigned is rejected (DMARC). */
  signs(address: string): boolean {
    return this.#keyOf(address) !== undefined;
  }

  /** Connects as an attempt does, logs in, and sends nothing. @throws Error where the mail server would take no email. */
  async verify(): Promise<void> {
    await this.#transport.verify();
  }

  /** One attempt; never throws. @param timeoutMs the longest that it takes. */
  send(mail: OutgoingEmail, timeoutMs = this.sendTimeoutMs): Promise<SendOutcome> {
    const attributes = { 'server.address': new URL(this.config.smtpUrl).hostname };
    return inSpan('send email', { kind: SpanKind.CLIENT, attributes }, async (span) =>
      recordOutcome(span, { ...(await this.#send(mail, timeoutMs)), server: this.server }),
    );
  }

  async #send(mail: OutgoingEmail, timeoutMs: number): Promise<SendOutcome> {
    const recipient = parseEmailAddress(mail.recipient);
    if (recipient === null) {
      return { kind: 'permanent', reason: 'The recipient is not a valid mail address.' };
    }
    // One bound for everything: the claim of the message covers no more.
    const signal = timeoutSignal(timeoutMs);
    if (!isAscii(recipient)) {
      const refusal = await this.#smtpUtf8Rejection(signal);
      if (refusal) {
        return refusal;
      }
    }
    const address = mail.fromAddress ?? this.config.mailFrom;
    const key = this.#keyOf(address);
    const signer = key
      ? new DKIM({ domainName: key.domain, keySelector: key.selector, privateKey: key.privateKey })
      : null;
    const streams: Readable[] = [];
    this.#inFlight.set(mail.messageId, { signer, streams });
    try {
      const { response } = await this.#transport.sendMail({
        from: { name: singleLine(mail.fromName), address },
        to: { name: '', address: recipient },
        ...(mail.replyTo === null ? {} : { replyTo: { name: '', address: mail.replyTo } }),
        // An explicit envelope: no header can add recipients, and what bounces comes to the platform.
        envelope: { from: this.config.mailFrom, to: [recipient] },
        messageId: mail.messageId,
        ...(mail.inReplyTo === null ? {} : { inReplyTo: mail.inReplyTo, references: mail.inReplyTo }),
        subject: mail.email.subject,
        text: mail.email.text,
        html: mail.email.html,
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(mail.email.language === null ? {} : { 'Content-Language': mail.email.language }),
        },
        attachments: [
          ...(mail.pdf === null
            ? []
            : [{ filename: mail.email.fileName, content: mail.pdf, contentType: 'application/pdf' }]),
          ...logoParts(mail.logo),
        ],
        signal,
      });
      return { kind: 'accepted', response: truncate(response) };
    } catch (error) {
      // Read to its end, the email may have been sent to its last byte and accepted.
      return sendFailure(
        error as SmtpError,
        streams.some((stream) => stream.readableEnded),
      );
    } finally {
      this.#inFlight.delete(mail.messageId);
    }
  }

  /** Closes the pooled connections. */
  close(): void {
    this.#transport.close();
  }

  #keyOf(address: string): DkimKey | undefined {
    return this.config.dkimKeys.get(address.slice(address.lastIndexOf('@') + 1).toLowerCase());
  }

  /**
   * Why a non-ASCII local part cannot be sent to now; undefined where it can. Only a server that offers SMTPUTF8 (RFC 6531)
   * may receive such an address, and the library does not check.
   */
  #smtpUtf8Rejection(signal: AbortSignal): Promise<SendOutcome | undefined> {
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

/**
 * The picture travels with the email: a mail program that loads nothing from elsewhere shows it, and no one learns when it is opened.
 */
function logoParts(logo: EmailLogo | null) {
  return logo === null
    ? []
    : [
        {
          filename: 'logo.png',
          content: logo.bytes,
          contentType: 'image/png',
          cid: logoContentId,
          contentDisposition: 'inline' as const,
        },
      ];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII.
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** @throws when the file of the configuration cannot be read. */
function certificatesOf({ smtpCaFile, smtpTls, smtpUrl }: DeliveryConfig): ConnectionOptions {
  return {
    ...(smtpCaFile === null ? {} : { ca: [...rootCertificates, readFileSync(smtpCaFile, 'utf8')] }),
    // Opportunistic TLS accepts any certificate (RFC 7435).
    ...(smtpTls === 'opportunistic' && smtpUrl.startsWith('smtp:') ? { rejectUnauthorized: false } : {}),
  };
}
