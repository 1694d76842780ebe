import { type ConfigOf, integer, serviceFields, text, url } from '@pinkas/service-kit';

/** The environment of the delivery service. */
export const fields = {
  ...serviceFields,
  smtpUrl: url('SMTP_URL', {
    meaning: 'The mail server that takes our mail, with the login where it wants one.',
    example: 'smtps://user:secret@mail.example.com:465',
    protocols: ['smtp:', 'smtps:'],
    secret: true,
  }),
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
      if (!/^[^\s@<>"]+@[^\s@<>"]+$/.test(value)) throw new Error('expected a plain mail address');
      return value;
    },
  },
  viewUrlBase: url('VIEW_URL_BASE', {
    meaning: "The address of a document's page without its last part.",
    example: 'https://pinkas.example.com/d',
    protocols: ['https:', 'http:'],
  }),
};
export type DeliveryConfig = ConfigOf<typeof fields>;
