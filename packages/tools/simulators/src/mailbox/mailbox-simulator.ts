import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { HttpError, send } from '@pinkas/service-kit/http';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { type Listen, modeRules, type RunningSimulator, readMode, sendJson, serveHttp } from '../http.js';
import { createSelfSignedP12 } from '../self-signed-certificate.js';
import { listPage, messagePage, pagePolicy } from './mailbox-page.js';
import { type Message, MessageFolder } from './message-folder.js';

/** The largest email that is accepted, in bytes. */
const mailBytesMax = 25 * 1024 * 1024;
/** A silent connection is closed after this time; so is one that gets no reply in the mode `hang`. */
const silenceMaxMs = 60_000;

/** What {@link startMailbox} needs. */
interface MailboxOptions extends Listen {
  /** Where mail comes in. Port 0 takes any free port. */
  readonly smtpPort: number;
  /** Where messages are stored over restarts. Without it they end with the process. */
  readonly dataDir?: string | undefined;
  /** How many messages are stored; older ones are deleted. Default 5,000. */
  readonly messagesMax?: number | undefined;
}

/** A mailbox that runs. */
export interface RunningMailbox extends RunningSimulator {
  /** `smtp://host:port`, for mail to come in. */
  readonly smtpUrl: string;
}

const modes = [
  'ok',
  'refuse',
  'full',
  'temporary',
  'greylist',
  'hang',
  'drop_after_data',
  'drop_tls',
  'ascii_only',
] as const;

interface Mode {
  /**
   * `ok`; `refuse` (550 to every recipient, or to `address` alone); `full` (552 to every recipient); `temporary` (451 to every recipient); `greylist` (451 to the first attempt of each
   * recipient); `hang` (an email is read, not stored, and gets no reply); `drop_after_data` (an email is stored, and the
   * connection closed instead of a reply); `drop_tls` (the connection is closed when the TLS handshake begins);
   * `ascii_only` (SMTPUTF8 is not offered).
   */
  readonly mode: (typeof modes)[number];
  /** How often the failure happens before the mode is `ok` again; 0: every time. Without effect on `greylist` and `ascii_only`. */
  readonly times: number;
  /** The recipient that `refuse` is about; empty: everybody. */
  readonly address: string;
}

const noFailure: Mode = { mode: 'ok', times: 0, address: '' };

let certificate: Promise<{ pfx: Buffer; passphrase: string }> | undefined;

/** The certificate of every mailbox of this process, which no one else has signed. Its key takes a moment to make. */
function ownCertificate(): Promise<{ pfx: Buffer; passphrase: string }> {
  const passphrase = randomBytes(16).toString('hex');
  certificate ??= createSelfSignedP12({ commonName: 'localhost', password: passphrase, years: 10 }).then(
    (p12) => ({ pfx: Buffer.from(p12), passphrase }),
  );
  return certificate;
}

/**
 * Starts a mailbox that accepts every email over SMTP, with STARTTLS or without, without authentication. `GET /` shows them to
 * people; `GET /messages` (newest first; `?to=` for one recipient, `?limit=`, `?bodies=false` without the texts),
 * `GET /messages/{id}`, `GET /messages/{id}/attachments/{n}` and `GET /messages/{id}/raw` to programs. `DELETE /messages`
 * deletes all. Tests set failures by `POST /_mode`.
 */
export async function startMailbox(options: MailboxOptions): Promise<RunningMailbox> {
  const folder = await MessageFolder.open(options.dataDir, options.messagesMax ?? 5_000);
  const failures = new MailFailures();
  const smtp = new SmtpSide(folder, failures, await ownCertificate());
  try {
    const smtpPort = await smtp.listen(options.smtpPort, options.host);
    const http = new HttpSide(folder, failures, smtp);
    const running = await serveHttp(options, (request, response, { url }) =>
      http.handle(request, response, url),
    );
    return {
      url: running.url,
      smtpUrl: running.url.replace(/^http:/, 'smtp:').replace(/\d+$/, String(smtpPort)),
      async close() {
        await Promise.all([running.close(), smtp.close()]);
        await folder.close();
      },
    };
  } catch (cause) {
    await smtp.close();
    await folder.close();
    throw cause;
  }
}

/** The failures that a test has set. */
class MailFailures {
  #mode = noFailure;
  #happened = 0;
  readonly #greylisted = new Set<string>();

  get mode(): Mode {
    return this.#mode;
  }

  set(mode: Mode): void {
    this.#mode = mode;
    this.#happened = 0;
    this.#greylisted.clear();
  }

  /** Whether this failure happens now; counts it. */
  happens(failure: Mode['mode']): boolean {
    if (this.#mode.mode !== failure) {
      return false;
    }
    this.#happened += 1;
    if (this.#mode.times > 0 && this.#happened >= this.#mode.times) {
      this.#mode = noFailure;
    }
    return true;
  }

  /** Whether what a test has set is about a recipient. */
  concerns(address: string): boolean {
    return ['', address.toLowerCase()].includes(this.#mode.address.toLowerCase());
  }

  /** Whether this is the first attempt of a recipient in the mode `greylist`. */
  greylists(address: string): boolean {
    const recipient = address.toLowerCase();
    if (this.#mode.mode !== 'greylist' || this.#greylisted.has(recipient)) {
      return false;
    }
    this.#greylisted.add(recipient);
    return true;
  }
}

/** Receives emails over SMTP. */
class SmtpSide {
  readonly #folder: MessageFolder;
  readonly #failures: MailFailures;
  readonly #server: SMTPServer;

  constructor(
    folder: MessageFolder,
    failures: MailFailures,
    certificate: { pfx: Buffer; passphrase: string },
  ) {
    this.#folder = folder;
    this.#failures = failures;
    this.#server = new SMTPServer({
      name: 'mailbox.local',
      banner: 'a simulator that forwards nothing',
      size: mailBytesMax,
      authOptional: true,
      disabledCommands: ['AUTH'],
      ...certificate,
      disableReverseLookup: true,
      socketTimeout: silenceMaxMs,
      closeTimeout: 500,
      onRcptTo: ({ address }, _session, callback) => callback(this.#rejectionOf(address)),
      onData: (stream, session, callback) => {
        this.#receive(stream, session).then((id) => {
          if (id === undefined) {
            return;
          }
          if (failures.happens('drop_after_data')) {
            this.#closeConnection(session.id);
          } else {
            callback(null, `stored as ${id}`);
          }
        }, callback);
      },
    });
    // A client may break its connection at any time.
    this.#server.on('error', () => {});
    this.#server.server.on('connection', (socket: Socket) => this.#watchTls(socket));
  }

  async listen(port: number, host: string): Promise<number> {
    return new Promise<number>((resolve, reject) => {
      this.#server.server.once('error', reject);
      const listening = this.#server.listen(port, host, () => {
        listening.removeListener('error', reject);
        resolve((listening.address() as AddressInfo).port);
      });
    });
  }

  /** Whether SMTPUTF8 is offered. */
  offerUtf8(offered: boolean): void {
    this.#server.options.hideSMTPUTF8 = !offered;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #rejectionOf(address: string): Error | null {
    if (this.#failures.concerns(address) && this.#failures.happens('refuse')) {
      return reply(550, 'no such mailbox here');
    }
    if (this.#failures.happens('full')) {
      return reply(552, 'the mailbox is full');
    }
    if (this.#failures.happens('temporary')) {
      return reply(451, 'try again later');
    }
    return this.#failures.greylists(address) ? reply(451, 'greylisted, try again later') : null;
  }

  /** Stores an email and returns its id; undefined means that the client gets no reply. */
  async #receive(
    stream: SMTPServerDataStream,
    { envelope, secure }: SMTPServerSession,
  ): Promise<string | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      // Beyond the limit the stream is read without being stored, so that the client gets its reply.
      if (!stream.sizeExceeded) {
        chunks.push(chunk);
      }
    }
    if (stream.sizeExceeded) {
      throw reply(552, `the mail is larger than ${mailBytesMax} bytes`);
    }
    if (this.#failures.happens('hang')) {
      return undefined;
    }
    const message = await this.#folder.add(Buffer.concat(chunks), {
      from: envelope.mailFrom ? envelope.mailFrom.address : '',
      to: envelope.rcptTo.map(({ address }) => address),
      secure,
    });
    return message.id;
  }

  #closeConnection(sessionId: string): void {
    for (const connection of this.#server.connections) {
      if (connection.id === sessionId) {
        connection.close();
      }
    }
  }

  #watchTls(socket: Socket): void {
    const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
    socket.write = (...given: unknown[]): boolean => {
      const written = write(...given);
      // The server has just replied that TLS may begin.
      if (String(given[0]).startsWith('220 Ready to start TLS') && this.#failures.happens('drop_tls')) {
        socket.destroySoon();
      }
      return written;
    };
  }
}

/** Shows what was received over HTTP, and takes the mode. */
class HttpSide {
  readonly #folder: MessageFolder;
  readonly #failures: MailFailures;
  readonly #smtp: SmtpSide;

  constructor(folder: MessageFolder, failures: MailFailures, smtp: SmtpSide) {
    this.#folder = folder;
    this.#failures = failures;
    this.#smtp = smtp;
  }

  async handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /':
        return sendPage(response, listPage(this.#folder.list()));
      case 'GET /health':
        return sendJson(response, 200, { status: 'up' });
      case 'POST /_mode':
        return this.#setMode(request, response);
      case 'GET /messages':
        return sendJson(response, 200, this.#select(url.searchParams));
      case 'DELETE /messages':
        await this.#folder.clear();
        response.writeHead(204).end();
        return;
    }
    const [first, id, ...rest] = url.pathname.slice(1).split('/').map(decodePath);
    const message = id === undefined ? undefined : this.#folder.get(id);
    if (request.method !== 'GET' || !message) {
      throw new HttpError(404, 'no such path');
    }
    if (first === 'mail' && rest.length === 0) {
      return sendPage(response, messagePage(message));
    }
    if (first === 'messages') {
      return this.#sendPart(response, message, rest);
    }
    throw new HttpError(404, 'no such path');
  }

  async #setMode(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const mode = await readMode(request, noFailure, {
      mode: modeRules.oneOf(modes),
      times: modeRules.count,
      address: modeRules.text,
    });
    this.#failures.set(mode);
    this.#smtp.offerUtf8(mode.mode !== 'ascii_only');
    sendJson(response, 200, mode);
  }

  async #sendPart(response: ServerResponse, message: Message, [part, n, ...more]: string[]): Promise<void> {
    if (part === undefined) {
      return sendJson(response, 200, message);
    }
    if (part === 'raw' && n === undefined) {
      return send(response, 200, 'text/plain; charset=utf-8', await this.#folder.raw(message.id));
    }
    const index = part === 'attachments' && more.length === 0 && /^\d{1,3}$/.test(n ?? '') ? Number(n) : -1;
    const attachment = message.attachments[index];
    const content = attachment && (await this.#folder.attachment(message.id, index));
    if (!content) {
      throw new HttpError(404, 'no such path');
    }
    // Only a PDF is shown in place: a mailed page must not run at the mailbox's address.
    const inline = attachment.contentType === 'application/pdf';
    send(response, 200, inline ? 'application/pdf' : 'application/octet-stream', content, {
      'content-disposition': `${inline ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeRfc5987(attachment.filename)}`,
      'x-content-type-options': 'nosniff',
    });
  }

  #select(query: URLSearchParams): (Message | Omit<Message, 'text' | 'html'>)[] {
    const to = query.get('to')?.toLowerCase();
    const bodies = query.get('bodies') ?? 'true';
    if (!['true', 'false'].includes(bodies)) {
      throw new HttpError(400, 'bodies must be true or false');
    }
    const limit = Number(query.get('limit') ?? Number.POSITIVE_INFINITY);
    if (Number.isNaN(limit) || limit < 0) {
      throw new HttpError(400, 'limit must be a number, 0 or more');
    }
    return this.#folder
      .list()
      .filter((message) => to === undefined || message.to.some((address) => address.toLowerCase() === to))
      .slice(0, limit)
      .map((message) => (bodies === 'true' ? message : withoutBodies(message)));
  }
}

function withoutBodies({ text: _text, html: _html, ...message }: Message): Omit<Message, 'text' | 'html'> {
  return message;
}

function sendPage(response: ServerResponse, html: string): void {
  send(response, 200, 'text/html; charset=utf-8', Buffer.from(html), {
    'content-security-policy': pagePolicy,
  });
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function decodePath(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A file name for `filename*` (RFC 5987), which knows fewer plain characters than a URL. */
function encodeRfc5987(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
