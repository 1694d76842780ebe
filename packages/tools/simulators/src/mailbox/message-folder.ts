import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime, { type Attachment, type Email } from 'postal-mime';

/** One attachment, without its content. */
interface AttachmentSummary {
  /** As the sender named it; `attachment-1` and so on when it has no name. */
  readonly filename: string;
  readonly contentType: string;
  /** In bytes, decoded. */
  readonly size: number;
}

/** One received message, as `GET /messages` shows it. */
export interface Message {
  readonly id: string;
  /** When it was received: ISO 8601, UTC. */
  readonly at: string;
  /** The address in the From header, else the sender in the envelope. */
  readonly from: string;
  /** The recipients in the envelope: who really got it, hidden copies included. */
  readonly to: readonly string[];
  /** Whether it came over TLS; false where that was not written down. */
  readonly secure: boolean;
  readonly subject: string;
  /** With its angle brackets; null when the sender gave none. */
  readonly message_id: string | null;
  readonly attachments: readonly AttachmentSummary[];
  readonly text: string | null;
  readonly html: string | null;
}

/** Who sent a message to whom and how, by the SMTP dialogue. */
interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
  readonly secure: boolean;
}

/**
 * A folder with one `.eml` file per message, and beside it a `.json` file with what lists show, so that a full folder is
 * read again in no time. The oldest messages beyond the limit are deleted.
 */
export class MessageFolder {
  readonly #folder: string;
  readonly #temporary: boolean;
  readonly #messagesMax: number;
  /** By id; ids sort by arrival, and so does the map. */
  readonly #messages = new Map<string, Message>();
  #lastStamp = 0;

  private constructor(folder: string, temporary: boolean, messagesMax: number) {
    this.#folder = folder;
    this.#temporary = temporary;
    this.#messagesMax = messagesMax;
  }

  /** Opens a folder and reads what it holds. Without a name the folder is temporary and goes away with {@link close}. */
  static async open(folder: string | undefined, messagesMax: number): Promise<MessageFolder> {
    if (folder !== undefined) {
      await mkdir(folder, { recursive: true });
    }
    const opened = new MessageFolder(
      folder ?? (await mkdtemp(join(tmpdir(), 'pinkas-mailbox-'))),
      folder === undefined,
      messagesMax,
    );
    await opened.#read();
    return opened;
  }

  /** Keeps a message; it is on the disk when the promise resolves. */
  async add(raw: Buffer, envelope: Envelope): Promise<Message> {
    // Two messages of one millisecond still get ids in the order of their arrival.
    this.#lastStamp = Math.max(Date.now(), this.#lastStamp + 1);
    const id = `${String(this.#lastStamp).padStart(15, '0')}-${randomBytes(4).toString('hex')}`;
    const at = new Date(this.#lastStamp).toISOString();
    const message = summary(id, at, await PostalMime.parse(raw), envelope);
    await writeFile(this.#path(id, 'eml'), raw);
    await writeFile(this.#path(id, 'json'), JSON.stringify(message));
    this.#messages.set(id, message);
    await this.#deleteOldest();
    return message;
  }

  /** All messages, newest first. */
  list(): Message[] {
    return [...this.#messages.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  get(id: string): Message | undefined {
    return this.#messages.get(id);
  }

  /** The content of the n-th attachment, counted from 0. */
  async attachment(id: string, n: number): Promise<Buffer | undefined> {
    if (!this.#messages.has(id)) {
      return undefined;
    }
    const content = (await PostalMime.parse(await readFile(this.#path(id, 'eml')))).attachments[n]?.content;
    if (content === undefined) {
      return undefined;
    }
    return bytesOf(content);
  }

  /** The message as it came over the wire. */
  raw(id: string): Promise<Buffer> {
    return readFile(this.#path(id, 'eml'));
  }

  /** Deletes all messages. */
  async clear(): Promise<void> {
    for (const id of [...this.#messages.keys()]) {
      await this.#delete(id);
    }
  }

  /** Removes the folder if it is temporary. */
  async close(): Promise<void> {
    if (this.#temporary) {
      await rm(this.#folder, { recursive: true, force: true });
    }
  }

  async #read(): Promise<void> {
    const files = new Set(await readdir(this.#folder));
    const ids = [...files].filter((file) => file.endsWith('.eml')).map((file) => file.slice(0, -4));
    for (const id of ids.sort()) {
      const message = files.has(`${id}.json`) ? await this.#readSummary(id) : undefined;
      this.#messages.set(id, message ?? (await this.#readMail(id)));
    }
    this.#lastStamp = Number(ids.at(-1)?.split('-')[0] ?? 0);
    await this.#deleteOldest();
  }

  async #readSummary(id: string): Promise<Message | undefined> {
    try {
      return JSON.parse(await readFile(this.#path(id, 'json'), 'utf8')) as Message;
    } catch {
      // Half a file, left by a crash: the mail itself says nearly as much.
      return undefined;
    }
  }

  async #readMail(id: string): Promise<Message> {
    const mail = await PostalMime.parse(await readFile(this.#path(id, 'eml')));
    const stamp = Number(id.split('-')[0]);
    const to = (mail.to ?? []).flatMap(({ address }) => address ?? []);
    return summary(id, new Date(Number.isFinite(stamp) ? stamp : 0).toISOString(), mail, {
      from: '',
      to,
      secure: false,
    });
  }

  async #deleteOldest(): Promise<void> {
    for (const id of this.#messages.keys()) {
      if (this.#messages.size <= this.#messagesMax) {
        return;
      }
      await this.#delete(id);
    }
  }

  async #delete(id: string): Promise<void> {
    this.#messages.delete(id);
    await rm(this.#path(id, 'json'), { force: true });
    await rm(this.#path(id, 'eml'), { force: true });
  }

  #path(id: string, extension: 'eml' | 'json'): string {
    return join(this.#folder, `${id}.${extension}`);
  }
}

function summary(id: string, at: string, mail: Email, envelope: Envelope): Message {
  return {
    id,
    at,
    from: mail.from?.address ?? envelope.from,
    to: envelope.to,
    secure: envelope.secure,
    subject: mail.subject ?? '',
    message_id: mail.messageId ?? null,
    attachments: mail.attachments.map((attachment, index) => ({
      filename: attachment.filename ?? `attachment-${index + 1}`,
      contentType: attachment.mimeType,
      size: bytesOf(attachment.content).length,
    })),
    text: mail.text ?? null,
    html: mail.html ?? null,
  };
}

function bytesOf(content: Attachment['content']): Buffer {
  if (typeof content === 'string') {
    return Buffer.from(content, 'utf8');
  }
  return content instanceof ArrayBuffer ? Buffer.from(content) : Buffer.from(content);
}
