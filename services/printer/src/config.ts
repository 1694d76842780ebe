import { availableParallelism } from 'node:os';
import { type ConfigOf, integer, readConfig, serviceFields, text } from '@pinkas/service-kit/config';

/** The shutdown delay of the chart's gateway, for the same reason. */
const shutdownDelayMaxMs = 10_000;

const sandboxModes = ['auto', 'required', 'off'] as const;
/** Whether Chromium's sandbox is used: where the kernel allows it, always, never. */
export type SandboxMode = (typeof sandboxModes)[number];

/** The environment of the printer. */
export const fields = {
  production: serviceFields.production,
  healthHost: serviceFields.healthHost,
  healthPort: serviceFields.healthPort,
  logLevel: serviceFields.logLevel,
  httpHost: text('HTTP_HOST', {
    meaning: "The address that Gotenberg's HTTP API listens on.",
    example: '0.0.0.0',
    fallback: '127.0.0.1',
  }),
  httpPort: integer('HTTP_PORT', {
    meaning: "The port of Gotenberg's HTTP API; 0 picks a free one.",
    example: '3000',
    fallback: 3_000,
    min: 0,
    max: 65_535,
  }),
  // Named as Gotenberg names them, so that one pair of variables configures either.
  basicAuthUsername: text('GOTENBERG_API_BASIC_AUTH_USERNAME', {
    meaning: 'The user that GOTENBERG_URL of rendering names.',
    example: 'rendering',
    fallback: 'rendering',
  }),
  basicAuthPassword: text('GOTENBERG_API_BASIC_AUTH_PASSWORD', {
    meaning: 'The password of that user; with PRODUCTION=false it may be absent, and everybody may print.',
    example: 'secret',
    secret: true,
  }),
  chromiumPath: text('CHROMIUM_PATH', {
    meaning: "The absolute path of chromium-headless-shell, or of Chromium; by default Debian's.",
    example: '/usr/lib/chromium/chromium-headless-shell',
    fallback: '/usr/lib/chromium/chromium-headless-shell',
  }),
  chromiumSandbox: {
    ...text('CHROMIUM_SANDBOX', {
      meaning:
        'Whether Chromium isolates pages by its sandbox: auto (where the kernel allows it, else the log says so), required (else the printer does not start) or off.',
      example: 'required',
      fallback: 'auto',
    }),
    fallback: 'auto' as SandboxMode,
    parse: (value: string): SandboxMode => {
      const mode = sandboxModes.find((known) => known === value);
      if (!mode) {
        throw new Error(`expected ${sandboxModes.join(', ')}`);
      }
      return mode;
    },
  },
  pages: integer('PAGES', {
    meaning: 'How many documents are printed at the same time; by default twice the processors.',
    example: '4',
    fallback: Math.min(availableParallelism() * 2, 64),
    min: 1,
    max: 64,
  }),
  queueMax: integer('QUEUE_MAX', {
    meaning: 'How many more requests may wait, their bodies included; further ones are refused with 429.',
    example: '64',
    fallback: 64,
    min: 0,
    max: 10_000,
  }),
  requestBytesMax: integer('REQUEST_BYTES_MAX', {
    meaning:
      'The largest request, in bytes: the page with its fonts and pictures. A larger one is refused with 413.',
    example: '16777216',
    fallback: 16 * 1024 * 1024,
    min: 64 * 1024,
    max: 256 * 1024 * 1024,
  }),
  apiTimeoutMs: integer('API_TIMEOUT_MS', {
    meaning:
      'How long one request may take from its first byte, waiting included, in milliseconds; then it is refused with 503. A little above RENDER_TIMEOUT_MS of rendering, which ends first.',
    example: '7000',
    fallback: 7_000,
    min: 500,
    max: 30_000,
  }),
  pageStallMs: integer('PAGE_STALL_MS', {
    meaning:
      'How long a page that prints may use no processor time, in milliseconds; then it hangs, is ended, and its document is printed on another page.',
    example: '1500',
    fallback: 1_500,
    min: 500,
    max: 60_000,
  }),
  printsPerPageMax: integer('PRINTS_PER_PAGE_MAX', {
    meaning: 'How many documents a page prints before a new page replaces it.',
    example: '1000',
    fallback: 1_000,
    min: 1,
    max: 1_000_000,
  }),
  pageMemoryMb: integer('PAGE_MEMORY_MB', {
    meaning:
      "The memory of a page's own process, in MB, beyond which its document is refused with 400; a page that keeps more than half of it is replaced.",
    example: '384',
    fallback: 384,
    min: 64,
    max: 8_192,
  }),
  chromiumMemoryMb: integer('CHROMIUM_MEMORY_MB', {
    meaning:
      'The memory of all processes of Chromium together, in MB, beyond which a new Chromium replaces it.',
    example: '1200',
    fallback: 1_200,
    min: 256,
    max: 65_536,
  }),
  shutdownDelayMs: integer('SHUTDOWN_DELAY_MS', {
    meaning:
      'How long the printer goes on listening after SIGTERM, in milliseconds: until rendering connects to other replicas only.',
    example: '5000',
    fallback: 5_000,
    min: 0,
    max: shutdownDelayMaxMs,
  }),
};
export type PrinterConfig = ConfigOf<typeof fields>;

/**
 * Reads the environment.
 * @throws ConfigError that names every variable that is missing or wrong; in production that includes a missing password.
 */
export function readPrinterConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): PrinterConfig {
  const open = env[fields.production.name] === 'false';
  const basicAuthPassword = open ? { ...fields.basicAuthPassword, fallback: '' } : fields.basicAuthPassword;
  return readConfig({ ...fields, basicAuthPassword }, env);
}
