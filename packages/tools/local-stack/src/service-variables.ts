import { availableParallelism } from 'node:os';
import type { ServiceName } from '@pinkas/contracts';
import type { StackConfig } from './config.js';
import type { PartsContext } from './part.js';

/** The authority's number for unregistered software. */
const unregisteredSoftware = '99999999';

/** The id of the simulated sender's phone. */
export const localPhoneNumberId = '100000000000001';
export const localTemplate = 'document_ready';
export const localFollowUpTemplate = 'document_allocated';

/** The variables of each service, beyond those of all services. */
export function ownVariables(context: PartsContext): Record<ServiceName, NodeJS.ProcessEnv> {
  const { addresses, config, home, secrets } = context;
  return {
    gateway: {
      HTTP_HOST: '127.0.0.1',
      REDIS_URL: addresses.redisUrl,
      API_KEY_PEPPER: secrets.apiKeyPepper,
      BASE_URL: addresses.baseUrl,
      VIEW_URL_BASE: addresses.viewUrlBase,
      PDF_URL_BASE: addresses.pdfUrlBase,
      DOCS_URL: addresses.docsUrl,
      PAYMENT_URL: addresses.paymentUrl,
    },
    issuing: creditNotesVariable(config),
    customer: {},
    rendering: {
      GOTENBERG_URL: addresses.gotenbergUrl,
      SIGNING_P12_FILE: home.signingFile,
      SIGNING_P12_PASSWORD: secrets.signingPassword,
      TEST_SIGNING_P12_FILE: home.testSigningFile,
      TEST_SIGNING_P12_PASSWORD: secrets.signingPassword,
      TIMESTAMP_AUTHORITY_URL: config.timestampAuthorityUrl ?? '',
      VIEW_URL_BASE: addresses.viewUrlBase,
      // All replicas together a little more than the processors: what waits here, and not in the print server, takes turns.
      RENDER_CONCURRENCY: String(Math.ceil((availableParallelism() + 1) / config.replicas)),
    },
    allocation: allocationVariables(context),
    delivery: {
      SMTP_URL: addresses.smtpUrl,
      SMTP_TLS: smtpTlsOf(config, addresses.smtpUrl),
      MAIL_FROM: 'documents@pinkas.localhost',
      // What test books would have sent is shown next to the rest, where the mailbox is our own.
      ...(config.replaced.smtp === null && { TEST_MAILBOX_URL: addresses.smtpUrl }),
      VIEW_URL_BASE: addresses.viewUrlBase,
      PDF_URL_BASE: addresses.pdfUrlBase,
      WEBHOOK_ENCRYPTION_KEY: secrets.webhookEncryptionKey,
      // Receivers that are being written run on this machine.
      WEBHOOK_ALLOW: '127.0.0.0/8,::1/128',
      WHATSAPP_URL: addresses.whatsappUrl,
      ...whatsappVariables(context),
    },
    console: {
      HTTP_HOST: '127.0.0.1',
      CONSOLE_URL: addresses.consoleUrl,
      COOKIE_SECRET: secrets.cookieSecret,
      BASE_URL: addresses.baseUrl,
      VIEW_URL_BASE: addresses.viewUrlBase,
      DOCS_URL: addresses.docsUrl,
    },
  };
}

function allocationVariables({ addresses, config, secrets }: PartsContext): NodeJS.ProcessEnv {
  return {
    TAX_AUTHORITY_URL: addresses.taxAuthorityUrl,
    TAX_AUTHORITY_REDIRECT_URI: `${new URL(addresses.baseUrl).origin}/tax-authority/connected`,
    TAX_AUTHORITY_CLIENT_ID: secrets.taxAuthorityClientId,
    TAX_AUTHORITY_CLIENT_SECRET: secrets.taxAuthorityClientSecret,
    TAX_AUTHORITY_AUTO_CONNECT: 'true',
    TAX_AUTHORITY_TRANSMISSION: config.replaced.taxAuthority === null ? 'on' : 'off',
    ...taxAuthorityVariables(config),
    TOKEN_ENCRYPTION_KEY: secrets.tokenEncryptionKey,
    ACCOUNTING_SOFTWARE_NUMBER: unregisteredSoftware,
  };
}

/** What the environment sets of the tax authority takes the place of the local stack's own. */
function taxAuthorityVariables({ inherited }: StackConfig): NodeJS.ProcessEnv {
  const given = Object.entries(inherited).filter(
    ([name, value]) => (name.startsWith('TAX_AUTHORITY_') || name === 'DONATIONS_URL') && value,
  );
  return Object.fromEntries(given);
}

/** Issuing decides whether a credit note needs a number, as allocation does. */
function creditNotesVariable({ inherited }: StackConfig): NodeJS.ProcessEnv {
  const { TAX_AUTHORITY_CREDIT_NOTES } = inherited;
  return TAX_AUTHORITY_CREDIT_NOTES ? { TAX_AUTHORITY_CREDIT_NOTES } : {};
}

/** The sender and the templates of WhatsApp messages: from the environment with `WHATSAPP_URL`, otherwise the simulator's. */
function whatsappVariables({ config, secrets }: PartsContext): NodeJS.ProcessEnv {
  const given = config.replaced.whatsapp === null ? {} : config.inherited;
  return {
    WHATSAPP_PHONE_NUMBER_ID: given.WHATSAPP_PHONE_NUMBER_ID || localPhoneNumberId,
    WHATSAPP_TOKEN: given.WHATSAPP_TOKEN || secrets.whatsappToken,
    WHATSAPP_TEMPLATE: given.WHATSAPP_TEMPLATE || localTemplate,
    WHATSAPP_FOLLOW_UP_TEMPLATE: given.WHATSAPP_FOLLOW_UP_TEMPLATE || localFollowUpTemplate,
  };
}

/**
 * The mailbox simulator is used without TLS. TLS is opportunistic with another mail server on this machine, and required with
 * a remote one, unless the environment sets `SMTP_TLS`.
 */
function smtpTlsOf({ replaced, inherited }: StackConfig, smtpUrl: string): string {
  if (replaced.smtp === null) {
    return 'off';
  }
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(smtpUrl).hostname);
  return inherited.SMTP_TLS || (isLocal ? 'opportunistic' : 'required');
}
