import { type ConfigOf, integer, serviceFields, text, url } from '@pinkas/service-kit';

/** The environment of the rendering service. */
export const fields = {
  ...serviceFields,
  gotenbergUrl: url('GOTENBERG_URL', {
    meaning: 'Where Gotenberg 8 listens, which prints HTML to PDF.',
    example: 'http://127.0.0.1:3000',
    protocols: ['http:', 'https:'],
  }),
  signingP12File: text('SIGNING_P12_FILE', {
    meaning: 'The PKCS#12 file with the key and the certificate that sign the documents.',
    example: '/etc/pinkas/signing/certificate.p12',
  }),
  signingP12Password: text('SIGNING_P12_PASSWORD', {
    meaning: 'The password of that file.',
    example: 'secret',
    secret: true,
  }),
  renderConcurrency: integer('RENDER_CONCURRENCY', {
    meaning: 'How many documents are printed at the same time; about twice the processors of Gotenberg.',
    example: '8',
    fallback: 8,
    min: 1,
    max: 256,
  }),
  renderQueueMax: integer('RENDER_QUEUE_MAX', {
    meaning: 'How many more documents may wait to be printed; beyond, they are refused at once.',
    example: '64',
    fallback: 64,
    min: 0,
    max: 10_000,
  }),
  renderTimeoutMs: integer('RENDER_TIMEOUT_MS', {
    meaning:
      'How long one document may wait and print, in milliseconds; a number is held in the book meanwhile.',
    example: '6000',
    fallback: 6_000,
    min: 100,
    max: 30_000,
  }),
};
export type RenderingConfig = ConfigOf<typeof fields>;
