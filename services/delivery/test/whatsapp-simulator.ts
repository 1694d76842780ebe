import { Simulator } from '@pinkas/testkit';
import type { WhatsAppAccount } from '../src/config.js';

/** What our messages hold, as far as tests look. */
export interface TemplateMessage {
  to: string;
  template: {
    name: string;
    language: { code: string };
    components: { type: string; parameters: { text: string }[] }[];
  };
  biz_opaque_callback_data: string;
}

/** The simulator of the Cloud API as a process of its own. */
export interface WhatsAppSimulator {
  readonly url: string;
  mode(mode: { mode: string; delay_ms?: number; code?: number; times?: number }): Promise<void>;
  /** The messages to a number that it has accepted, oldest first. */
  acceptedTo(phone: string): Promise<{ id: string; body: TemplateMessage }[]>;
  /** How often it was asked to send to a number. */
  requestsTo(phone: string): Promise<number>;
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
}

const account = {
  phoneNumberId: '106540352242922',
  token: 'a-token',
  template: 'document_ready',
  followUpTemplate: 'document_allocated',
};

/** An account at the simulator. */
export const whatsappAccount = (url: string, timeoutMs: number): WhatsAppAccount => ({
  ...account,
  url: `${url}/v23.0`,
  languages: { he: 'he', en: 'en_US' },
  timeoutMs,
});

/** @param dataDir where accepted messages survive a restart. */
export async function startWhatsAppSimulator(dataDir: string): Promise<WhatsAppSimulator> {
  const env = {
    DATA_DIR: dataDir,
    PHONE_NUMBER_ID: account.phoneNumberId,
    TOKEN: account.token,
    TEMPLATES: `${account.template},${account.followUpTemplate}`,
  };
  const running = await Simulator.start('whatsapp', env);
  const { url } = running;
  interface Calls {
    calls: { body: TemplateMessage | null }[];
    accepted: { id: string; to: string; body: TemplateMessage }[];
  }
  return {
    url,
    mode: (mode) => running.mode(mode),
    acceptedTo: async (phone) => {
      const { accepted } = await running.read<Calls>('/_calls');
      return accepted.filter(({ to }) => to === phone);
    },
    requestsTo: async (phone) => {
      const { calls } = await running.read<Calls>('/_calls');
      return calls.filter(({ body }) => body?.to === phone).length;
    },
    kill: () => running.kill(),
    restart: () => running.restart(),
  };
}
