import { timeLimitsMs } from '@pinkas/contracts/time-limits';
import {
  ConfigError,
  type ConfigOf,
  type EnvField,
  type Environment,
  hexBytes,
  integer,
  readConfig,
  serviceFields,
  text,
  url,
} from '@pinkas/service-kit/config';
import { type DkimKeys, readDkimKeys } from './dkim-keys.js';
import { type Network, parseNetworks } from './public-address.js';

/** How mail is kept from being read on its way to the mail server. */
const smtpTlsModes = ['required', 'opportunistic', 'off'] as const;
export type SmtpTls = (typeof smtpTlsModes)[number];

/** A variable that may be absent. */
const optional = <T>(field: EnvField<T>): EnvField<T | null> => ({ ...field, fallback: null });

/** The environment of the delivery service. */
export const fields = {
  ...serviceFields,
  smtpUrl: url('SMTP_URL', {
    meaning: 'The mail server that takes our mail, with the login where it wants one.',
    example: 'smtps://user:secret@mail.example.com:465',
    protocols: ['smtp:', 'smtps:'],
    secret: true,
  }),
  smtpTls: {
    ...text('SMTP_TLS', {
      meaning:
        'On a smtp:// connection: required (STARTTLS with a certificate that holds, or nothing is sent), opportunistic (encrypted where the server can, without a check of its certificate) or off. A smtps:// connection is always encrypted.',
      example: 'required',
    }),
    fallback: 'required',
    parse: (value: string): SmtpTls => {
      const mode = smtpTlsModes.find((mode) => mode === value);
      if (!mode) {
        throw new Error(`expected ${smtpTlsModes.join(', ')}`);
      }
      return mode;
    },
  } as EnvField<SmtpTls>,
  smtpCaFile: optional(
    text('SMTP_CA_FILE', {
      meaning:
        "A PEM file with the certificate that the mail server's own is signed by, beside the well-known ones.",
      example: '/etc/pinkas/mail-ca.pem',
    }),
  ),
  smtpTimeoutMs: integer('SMTP_TIMEOUT_MS', {
    meaning: 'How long the mail server may stay silent, in milliseconds.',
    example: '30000',
    fallback: 30_000,
    min: 200,
    max: 300_000,
  }),
  mailFrom: {
    ...text('MAIL_FROM', {
      meaning: 'The address that mail is sent from; the name beside it is that of the business.',
      example: 'documents@example.com',
    }),
    parse: (value: string): string => {
      if (!/^[^\s@<>"]+@[^\s@<>"]+$/.test(value)) {
        throw new Error('expected a plain mail address');
      }
      return value;
    },
  },
  dkimKeyFolder: text('DKIM_KEY_FOLDER', {
    meaning:
      'A folder with the RSA keys of the domains whose emails are signed (DKIM), each in a PEM file that is named as its public key in the DNS; read at the start. Without it no email is signed here, and none leaves under the address of a business.',
    example: '/etc/pinkas/dkim (holding pinkas._domainkey.shop.example.com.pem)',
    fallback: '',
  }),
  messagesPerBusinessAndDay: integer('MESSAGES_PER_BUSINESS_AND_DAY', {
    meaning:
      'How many messages of one business are sent on a day in Israel at most, the copies of its accountant included; further ones wait for the next day.',
    example: '5000',
    fallback: 5_000,
    min: 1,
    max: 1_000_000,
  }),
  testMailboxUrl: optional(
    url('TEST_MAILBOX_URL', {
      meaning:
        'The SMTP server of a mailbox on this very machine (127.0.0.1), which also gets what test books would have sent. Without it those messages are only stored.',
      example: 'smtp://127.0.0.1:2525',
      protocols: ['smtp:'],
    }),
  ),
  viewUrlBase: url('VIEW_URL_BASE', {
    meaning: "The address of a document's page without its last part.",
    example: 'https://pinkas.example.com/d',
    protocols: ['https:', 'http:'],
  }),
  pdfUrlBase: url('PDF_URL_BASE', {
    meaning: "The address of a document's PDF without its last part.",
    example: 'https://pinkas.example.com/pdf',
    protocols: ['https:', 'http:'],
  }),
  webhookEncryptionKey: hexBytes('WEBHOOK_ENCRYPTION_KEY', {
    meaning: 'Encrypts the secrets of webhook endpoints at rest, with AES-256-GCM.',
    example: '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff',
    bytes: 32,
    secret: true,
  }),
  webhookAllow: {
    ...text('WEBHOOK_ALLOW', {
      meaning:
        "The networks that webhooks may be sent to although they are not public, as CIDR ranges with commas between: parts of one's own network with receivers.",
      example: '10.20.0.0/16,fd00:1234::/48',
      fallback: '',
    }),
    fallback: [],
    parse: parseNetworks,
  } as EnvField<readonly Network[]>,
  webhookTimeoutMs: integer('WEBHOOK_TIMEOUT_MS', {
    meaning: 'How long one webhook may take, in milliseconds.',
    example: '10000',
    fallback: timeLimitsMs.webhook,
    min: 200,
    max: timeLimitsMs.webhook,
  }),
  whatsappUrl: optional(
    url('WHATSAPP_URL', {
      meaning: 'The WhatsApp Cloud API with its version. Without it nothing is sent by WhatsApp.',
      example: 'https://graph.facebook.com/v23.0',
      protocols: ['https:', 'http:'],
    }),
  ),
  whatsappPhoneNumberId: optional({
    ...text('WHATSAPP_PHONE_NUMBER_ID', {
      meaning: 'The id, not the number, of the phone that messages come from.',
      example: '106540352242922',
    }),
    parse: (value: string): string => {
      if (!/^\d{1,32}$/.test(value)) {
        throw new Error('expected digits');
      }
      return value;
    },
  }),
  whatsappToken: optional(
    text('WHATSAPP_TOKEN', {
      meaning: 'The access token of the system user who may send from that phone.',
      example: 'EAAG…',
      secret: true,
    }),
  ),
  whatsappTemplate: optional(
    text('WHATSAPP_TEMPLATE', {
      meaning:
        'The name of the approved template. Its body has four parameters (business, type, number, total); its button opens VIEW_URL_BASE/{{1}}.',
      example: 'document_ready',
    }),
  ),
  whatsappFollowUpTemplate: optional(
    text('WHATSAPP_FOLLOW_UP_TEMPLATE', {
      meaning:
        'The name of the approved template that says that a document has its allocation number now. Its body has four parameters (business, type, number, allocation number); its button opens VIEW_URL_BASE/{{1}}.',
      example: 'document_allocated',
    }),
  ),
  whatsappLanguageHe: text('WHATSAPP_LANGUAGE_HE', {
    meaning: 'The language code of the templates in Hebrew.',
    example: 'he',
    fallback: 'he',
  }),
  whatsappLanguageEn: text('WHATSAPP_LANGUAGE_EN', {
    meaning: 'The language code of the templates in English.',
    example: 'en_US',
    fallback: 'en',
  }),
  whatsappTimeoutMs: integer('WHATSAPP_TIMEOUT_MS', {
    meaning: 'How long one question to the WhatsApp Cloud API may take, in milliseconds.',
    example: '15000',
    fallback: 15_000,
    min: 200,
    max: 120_000,
  }),
};
/** As a URL has them. */
const loopbackHosts: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

type DeliveryFields = ConfigOf<typeof fields>;

/** How messages are sent by WhatsApp. */
export interface WhatsAppAccount {
  readonly url: string;
  readonly phoneNumberId: string;
  readonly token: string;
  readonly template: string;
  /** The template of a message that brings a late allocation number. */
  readonly followUpTemplate: string;
  /** The templates' language codes by the language of the business. */
  readonly languages: Readonly<Record<'he' | 'en', string>>;
  readonly timeoutMs: number;
}

/** The configuration of the delivery service. */
export interface DeliveryConfig extends Omit<DeliveryFields, `whatsapp${string}` | 'dkimKeyFolder'> {
  /** The domains whose emails are signed. */
  readonly dkimKeys: DkimKeys;
  /** Null where nothing is sent by WhatsApp. */
  readonly whatsapp: WhatsAppAccount | null;
}

/**
 * Puts the variables together that belong together.
 * @throws ConfigError where only some of WhatsApp's are set: half a set is a mistake, and would fail every message; where
 * a key for DKIM cannot be used; and where the messages of test books would leave the machine.
 */
export function deliveryConfig(values: DeliveryFields): DeliveryConfig {
  const {
    whatsappUrl,
    whatsappPhoneNumberId,
    whatsappToken,
    whatsappTemplate,
    whatsappFollowUpTemplate,
    whatsappLanguageHe,
    whatsappLanguageEn,
    whatsappTimeoutMs,
    dkimKeyFolder,
    ...others
  } = values;
  const { testMailboxUrl } = others;
  if (testMailboxUrl !== null && !loopbackHosts.includes(new URL(testMailboxUrl).hostname)) {
    throw new ConfigError(
      `${fields.testMailboxUrl.name} names another machine than this one: no test message leaves.`,
    );
  }
  const together = {
    [fields.whatsappUrl.name]: whatsappUrl,
    [fields.whatsappPhoneNumberId.name]: whatsappPhoneNumberId,
    [fields.whatsappToken.name]: whatsappToken,
    [fields.whatsappTemplate.name]: whatsappTemplate,
    [fields.whatsappFollowUpTemplate.name]: whatsappFollowUpTemplate,
  };
  const missing = Object.keys(together).filter((name) => together[name] === null);
  if (missing.length > 0 && missing.length < Object.keys(together).length) {
    throw new ConfigError(
      `The environment is not complete:\n  ${missing.join(', ')}: WhatsApp needs ${Object.keys(together).join(', ')}, or none of them`,
    );
  }
  const whatsapp =
    whatsappUrl === null ||
    whatsappPhoneNumberId === null ||
    whatsappToken === null ||
    whatsappTemplate === null ||
    whatsappFollowUpTemplate === null
      ? null
      : {
          url: whatsappUrl,
          phoneNumberId: whatsappPhoneNumberId,
          token: whatsappToken,
          template: whatsappTemplate,
          followUpTemplate: whatsappFollowUpTemplate,
          languages: { he: whatsappLanguageHe, en: whatsappLanguageEn },
          timeoutMs: whatsappTimeoutMs,
        };
  return { ...others, whatsapp, dkimKeys: dkimKeyFolder === '' ? new Map() : readDkimKeys(dkimKeyFolder) };
}

/** Reads the environment. */
export function readDeliveryConfig(env: Environment): DeliveryConfig {
  return deliveryConfig(readConfig(fields, env));
}
