import { Simulator } from '@pinkas/testkit';

/** A mail as the mailbox shows it. */
export interface ReceivedMail {
  id: string;
  from: string;
  to: string[];
  secure: boolean;
  subject: string;
  message_id: string;
  attachments: { filename: string; contentType: string; size: number }[];
  text: string;
  html: string;
}

/** The mailbox of the local stack as a process of its own, so that it can be stopped. */
export interface MailboxSimulator {
  readonly smtpUrl: string;
  /** Sets how it fails; `times`: how often, where not for good; `address`: the only recipient that `refuse` is about. */
  mode(
    mode:
      | 'ok'
      | 'refuse'
      | 'full'
      | 'temporary'
      | 'greylist'
      | 'hang'
      | 'drop_after_data'
      | 'drop_tls'
      | 'ascii_only',
    times?: number,
    address?: string,
  ): Promise<void>;
  /** What came for one recipient, newest first. */
  mailTo(recipient: string): Promise<ReceivedMail[]>;
  /** A mail as it came over the wire. */
  raw(id: string): Promise<string>;
  attachment(id: string, position: number): Promise<Buffer>;
  /** Ends the process at once. */
  kill(): Promise<void>;
  /** Starts it again on the same ports. */
  restart(): Promise<void>;
}

/** @param dataDir where mail survives a restart. */
export async function startMailboxSimulator(dataDir: string): Promise<MailboxSimulator> {
  const running = await Simulator.start('mailbox', { DATA_DIR: dataDir });
  const root = running.url;
  const smtpUrl = running.listening.smtpUrl ?? '';
  const read = async (path: string) => {
    const response = await fetch(`${root}${path}`);
    if (!response.ok) {
      throw new Error(`the mailbox answered ${response.status} to ${path}`);
    }
    return response;
  };
  return {
    smtpUrl,
    mode: (mode, times = 0, address = '') => running.mode({ mode, times, address }),
    mailTo: (recipient) => running.read<ReceivedMail[]>(`/messages?to=${encodeURIComponent(recipient)}`),
    raw: async (id) => (await read(`/messages/${id}/raw`)).text(),
    attachment: async (id, position) =>
      Buffer.from(await (await read(`/messages/${id}/attachments/${position}`)).arrayBuffer()),
    kill: () => running.kill(),
    restart: () => running.restart(),
  };
}
