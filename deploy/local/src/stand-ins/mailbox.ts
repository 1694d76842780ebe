import { randomBytes } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { createSelfSignedP12 } from '@pinkas/local-servers';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import {
  type Listen,
  listenFrom,
  modeRules,
  positiveFrom,
  Refusal,
  type RunningStandIn,
  readMode,
  runAsProcess,
  send,
  sendJson,
  serveHttp,
} from './http.js';
import { listPage, messagePage, pagePolicy } from './mailbox-page.js';
import { MessageFolder } from './message-folder.js';

/** The largest mail that is taken, in bytes. */
const mailBytesMax = 25 * 1024 * 1024;
/** A client that says nothing for this long is cut off; so is one that waits for an answer in the mode `hang`. */
const silenceMaxMs = 60_000;

/** What {@link startMailbox} needs. */
export interface MailboxOptions extends Listen {
  /** Where mail comes in. Port 0 takes any free port. */
  readonly smtpPort: number;
  /** Where messages are kept over restarts. Without it they go away with the process. */
  readonly dataDir?: string | undefined;
  /** How many messages are kept; older ones are deleted. Default 5,000. */
  readonly messagesMax?: number | undefined;
}

/** A mailbox that runs. */
export interface RunningMailbox extends RunningStandIn {
  /** `smtp://host:port`, for mail to come in. */
  readonly smtpUrl: string;
}

const faults = [
  'ok',
  'refuse',
  'temporary',
  'greylist',
  'hang',
  'drop_after_data',
  'drop_tls',
  'ascii_only',
] as const;

interface Mode {
  /**
   * `ok`; `refuse` (550 to every recipient); `temporary` (451 to every recipient); `greylist` (451 to the first try of each
   * recipient); `hang` (a mail is taken in but never answered, and not kept); `drop_after_data` (a mail is taken in and kept,
   * and the connection cut instead of the answer); `drop_tls` (the connection is cut when the TLS handshake begins);
   * `ascii_only` (SMTPUTF8 is not offered).
   */
  readonly mode: (typeof faults)[number];
  /** How often the fault happens before the mode is `ok` again; 0: every time. Means nothing to `greylist` and `ascii_only`. */
  readonly times: number;
}

const noFaults: Mode = { mode: 'ok', times: 0 };

let certificate: Promise<{ pfx: Buffer; passphrase: string }> | undefined;

/** The certificate of every mailbox of this process, which nobody else has signed. Its key takes a moment to make. */
function ownCertificate(): Promise<{ pfx: Buffer; passphrase: string }> {
  const passphrase = randomBytes(16).toString('hex');
  certificate ??= createSelfSignedP12({ commonName: 'localhost', password: passphrase, years: 10 }).then(
    (p12) => ({ pfx: Buffer.from(p12), passphrase }),
  );
  return certificate;
}

/**
 * Starts a mailbox that takes every mail over SMTP, with STARTTLS or without, without a login, and shows it over HTTP: `GET /` for people,
 * `GET /messages` (newest first; `?to=` for one recipient, `?limit=`), `GET /messages/{id}`,
 * `GET /messages/{id}/attachments/{n}` and `GET /messages/{id}/raw` for programs, `DELETE /messages`, and for tests of
 * faults `POST /_mode`.
 */
export async function startMailbox(options: MailboxOptions): Promise<RunningMailbox> {
  const folder = await MessageFolder.open(options.dataDir, options.messagesMax ?? 5_000);
  const triedBefore = new Set<string>();
  let mode = noFaults;
  let happened = 0;
  /** Whether a fault happens now; counts how often it did. */
  const happens = (fault: Mode['mode']): boolean => {
    if (mode.mode !== fault) return false;
    happened += 1;
    if (mode.times > 0 && happened >= mode.times) mode = noFaults;
    return true;
  };

  const smtp = new SMTPServer({
    name: 'mailbox.local',
    banner: 'mail goes no further than this',
    size: mailBytesMax,
    authOptional: true,
    disabledCommands: ['AUTH'],
    ...(await ownCertificate()),
    disableReverseLookup: true,
    socketTimeout: silenceMaxMs,
    closeTimeout: 500,
    onRcptTo({ address }, _session, callback) {
      if (happens('refuse')) return callback(reply(550, 'no such mailbox here'));
      if (happens('temporary')) return callback(reply(451, 'try again later'));
      if (mode.mode === 'greylist' && !triedBefore.has(address.toLowerCase())) {
        triedBefore.add(address.toLowerCase());
        return callback(reply(451, 'greylisted, try again later'));
      }
      callback();
    },
    onData(stream, session, callback) {
      receive(stream, session).then((id) => {
        if (id !== undefined && happens('drop_after_data')) cut(session.id);
        else if (id !== undefined) callback(null, `kept as ${id}`);
      }, callback);
    },
  });
  // A client that breaks the connection is the client's affair.
  smtp.on('error', () => {});
  smtp.server.on('connection', (socket: Socket) => {
    const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
    socket.write = (...given: unknown[]): boolean => {
      const written = write(...given);
      // The server has just said that TLS may begin.
      if (String(given[0]).startsWith('220 Ready to start TLS') && happens('drop_tls')) socket.destroySoon();
      return written;
    };
  });

  function cut(sessionId: string): void {
    for (const connection of smtp.connections) {
      if (connection.id === sessionId) connection.close();
    }
  }

  /** Undefined means that the mail is never answered. */
  async function receive(
    stream: SMTPServerDataStream,
    { envelope, secure }: SMTPServerSession,
  ): Promise<string | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      // What goes beyond the limit is read, so that the client hears the answer, but not kept.
      if (!stream.sizeExceeded) chunks.push(chunk);
    }
    if (stream.sizeExceeded) throw reply(552, `the mail is larger than ${mailBytesMax} bytes`);
    if (happens('hang')) return undefined;
    const message = await folder.add(Buffer.concat(chunks), {
      from: envelope.mailFrom ? envelope.mailFrom.address : '',
      to: envelope.rcptTo.map(({ address }) => address),
      secure,
    });
    return message.id;
  }

  const smtpPort = await new Promise<number>((resolve, reject) => {
    smtp.server.once('error', reject);
    const server = smtp.listen(options.smtpPort, options.host, () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
  const closeSmtp = () => new Promise<void>((resolve) => smtp.close(() => resolve()));

  try {
    const running = await serveHttp(options, async (request, response, { url }) => {
      const [first, id, part, n] = url.pathname.slice(1).split('/').map(decodePath);
      const message = id === undefined ? undefined : folder.get(id);
      if (request.method === 'GET' && url.pathname === '/') {
        return sendPage(listPage(folder.list()));
      }
      if (request.method === 'GET' && url.pathname === '/health') {
        return sendJson(response, 200, { status: 'up' });
      }
      if (request.method === 'POST' && url.pathname === '/_mode') {
        mode = await readMode(request, noFaults, {
          mode: modeRules.oneOf(faults),
          times: modeRules.count,
        });
        triedBefore.clear();
        happened = 0;
        smtp.options.hideSMTPUTF8 = mode.mode === 'ascii_only';
        return sendJson(response, 200, mode);
      }
      if (first === 'messages' && id === undefined) {
        if (request.method === 'GET') return sendJson(response, 200, select(url.searchParams));
        if (request.method === 'DELETE') {
          await folder.clear();
          response.writeHead(204).end();
          return;
        }
      }
      if (request.method === 'GET' && message) {
        if (first === 'mail' && part === undefined) return sendPage(messagePage(message));
        if (first === 'messages' && part === undefined) return sendJson(response, 200, message);
        if (first === 'messages' && part === 'raw' && n === undefined) {
          return send(response, 200, 'text/plain; charset=utf-8', await folder.raw(message.id));
        }
        if (first === 'messages' && part === 'attachments' && /^\d{1,3}$/.test(n ?? '')) {
          const content = await folder.attachment(message.id, Number(n));
          const attachment = message.attachments[Number(n)];
          if (content && attachment) {
            // Never shown in place unless it is a PDF: a mailed page must not run on the mailbox's address.
            const inline = attachment.contentType === 'application/pdf';
            return send(response, 200, inline ? 'application/pdf' : 'application/octet-stream', content, {
              'content-disposition': `${inline ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeRfc5987(attachment.filename)}`,
              'x-content-type-options': 'nosniff',
            });
          }
        }
      }
      throw new Refusal(404, 'no such path');

      function sendPage(html: string): void {
        send(response, 200, 'text/html; charset=utf-8', Buffer.from(html), {
          'content-security-policy': pagePolicy,
        });
      }
    });
    return {
      url: running.url,
      smtpUrl: running.url.replace(/^http:/, 'smtp:').replace(/\d+$/, String(smtpPort)),
      async close() {
        await Promise.all([running.close(), closeSmtp()]);
        await folder.close();
      },
    };
  } catch (cause) {
    await closeSmtp();
    await folder.close();
    throw cause;
  }

  function select(query: URLSearchParams) {
    const to = query.get('to')?.toLowerCase();
    const limit = Number(query.get('limit') ?? Number.POSITIVE_INFINITY);
    if (Number.isNaN(limit) || limit < 0) throw new Refusal(400, 'limit must be a number, 0 or more');
    return folder
      .list()
      .filter((message) => to === undefined || message.to.some((address) => address.toLowerCase() === to))
      .slice(0, limit);
  }
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

await runAsProcess(import.meta.url, 'mailbox', (environment) =>
  startMailbox({
    ...listenFrom(environment),
    smtpPort: listenFrom(environment, 'SMTP_PORT').port,
    dataDir: environment.DATA_DIR || undefined,
    messagesMax: positiveFrom(environment, 'MESSAGES_MAX', 5_000),
  }),
);
