/**
 * Generates every secret of a new system. They are printed once and not stored.
 *
 *   node deploy/make-secrets.mjs compose > deploy/.env
 *   node deploy/make-secrets.mjs kubernetes --namespace pinkas | kubectl create -f -
 *   node deploy/make-secrets.mjs kubernetes --namespace pinkas --only pinkas-nats-routes | kubectl create -f -
 *
 * Not `kubectl apply`: it would replace the secrets of a running system, and leave them in an annotation in clear text.
 *
 * Secrets of outside systems are read from the environment: SIGNING_P12_PASSWORD, TAX_AUTHORITY_CLIENT_ID,
 * TAX_AUTHORITY_CLIENT_SECRET, SMTP_URL.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';

const { env } = process;
const services = ['gateway', 'issuing', 'customer', 'rendering', 'allocation', 'delivery', 'console'];
const natsUsers = [...services, 'operator'];

const key = () => randomBytes(32).toString('hex');
/** Begins with a letter: nats-server reads a variable that begins with a digit as a number. */
const password = () => `p${randomBytes(24).toString('hex')}`;

const made = {
  POSTGRES_PASSWORD: password(),
  REDIS_PASSWORD: password(),
  GOTENBERG_PASSWORD: password(),
  API_KEY_PEPPER: key(),
  TOKEN_ENCRYPTION_KEY: key(),
  WEBHOOK_ENCRYPTION_KEY: key(),
  COOKIE_SECRET: key(),
  ...Object.fromEntries(
    services.flatMap((name) => [
      [`DATABASE_PASSWORD_${name.toUpperCase()}`, password()],
      [`OWNER_PASSWORD_${name.toUpperCase()}`, password()],
    ]),
  ),
  TEST_SIGNING_P12_PASSWORD: password(),
  ...Object.fromEntries(natsUsers.map((name) => [`NATS_PASSWORD_${name.toUpperCase()}`, password()])),
};

const given = ['SIGNING_P12_PASSWORD', 'TAX_AUTHORITY_CLIENT_ID', 'TAX_AUTHORITY_CLIENT_SECRET', 'SMTP_URL'];

function composeFile() {
  const lines = Object.entries({ ...made, TEST_SIGNING_P12_BASE64: testCertificate() }).map(
    ([name, value]) => `${name}=${value}`,
  );
  return [
    '# Secrets of this system. Store a copy in a safe place: without API_KEY_PEPPER no API key is valid,',
    '# without TOKEN_ENCRYPTION_KEY every business has to connect to the tax authority again, and without',
    '# WEBHOOK_ENCRYPTION_KEY every webhook endpoint needs another secret.',
    ...lines,
    '# Set these.',
    ...given.map((name) => `${name}=${env[name] ?? ''}`),
    '',
  ].join('\n');
}

/** The secrets of one service: its secret variables, and that of its migration. */
function secretsOf(service, hosts) {
  const upper = service.toUpperCase();
  const database = (role, secret) =>
    `postgres://${role}:${secret}@${hosts.postgres}/pinkas_${service}?sslmode=verify-full${hosts.postgresCa}`;
  const own = {
    gateway: {
      API_KEY_PEPPER: made.API_KEY_PEPPER,
      REDIS_URL: `redis://:${made.REDIS_PASSWORD}@${hosts.redis}`,
    },
    rendering: {
      GOTENBERG_URL: `http://rendering:${made.GOTENBERG_PASSWORD}@${hosts.gotenberg}`,
      SIGNING_P12_PASSWORD: env.SIGNING_P12_PASSWORD,
    },
    allocation: {
      TAX_AUTHORITY_CLIENT_SECRET: env.TAX_AUTHORITY_CLIENT_SECRET,
      TOKEN_ENCRYPTION_KEY: made.TOKEN_ENCRYPTION_KEY,
    },
    delivery: { SMTP_URL: env.SMTP_URL, WEBHOOK_ENCRYPTION_KEY: made.WEBHOOK_ENCRYPTION_KEY },
    console: { COOKIE_SECRET: made.COOKIE_SECRET },
  };
  return {
    DATABASE_URL: database(`pinkas_${service}`, made[`DATABASE_PASSWORD_${upper}`]),
    MIGRATION_DATABASE_URL: database(`pinkas_${service}_owner`, made[`OWNER_PASSWORD_${upper}`]),
    NATS_URL: `${hosts.natsProtocol}://${service}:${made[`NATS_PASSWORD_${upper}`]}@${hosts.nats}`,
    ...own[service],
  };
}

/** Runs openssl. */
function openssl(what, args, options = {}) {
  try {
    return execFileSync('openssl', args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
  } catch (error) {
    throw new Error(
      error.code === 'ENOENT'
        ? `install openssl: it makes ${what}`
        : `openssl cannot make ${what}: ${error.stderr}`,
    );
  }
}

/** The PKCS#12 file, in base64, that signs the documents of test books: no one has to trust it. */
function testCertificate() {
  const what = 'the certificate of test documents';
  const pem = openssl(what, [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-sha256'],
    ...['-days', '3650', '-subj', '/CN=Pinkas test documents', '-keyout', '-', '-out', '-'],
    ...['-addext', 'keyUsage=critical,digitalSignature,nonRepudiation'],
  ]);
  const passwordVariable = { TEST_SIGNING_P12_PASSWORD: made.TEST_SIGNING_P12_PASSWORD };
  return openssl(what, ['pkcs12', '-export', '-passout', 'env:TEST_SIGNING_P12_PASSWORD'], {
    input: pem,
    env: { ...env, ...passwordVariable },
  }).toString('base64');
}

/**
 * The certificate that the servers of NATS show each other. It is its own authority: who has no copy of its key cannot
 * join, whatever other certificates the cluster has given out.
 */
function routeCertificate(names) {
  const pem = openssl('the certificate of the routes of NATS', [
    ...['req', '-x509', '-newkey', 'rsa:3072', '-nodes', '-sha256', '-days', '3650'],
    ...['-subj', '/CN=pinkas-nats-routes'],
    ...['-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`],
    ...['-keyout', '-', '-out', '-'],
  ]).toString('utf8');
  const blockOf = (kind) =>
    `${new RegExp(`-----BEGIN ${kind}-----[^]+?-----END ${kind}-----`).exec(pem)[0]}\n`;
  const certificate = blockOf('CERTIFICATE');
  return { 'tls.crt': certificate, 'tls.key': blockOf('PRIVATE KEY'), 'ca.crt': certificate };
}

function kubernetesManifest(options) {
  const hosts = {
    postgres: options.postgres,
    redis: options.redis,
    gotenberg: options.gotenberg,
    nats: options.nats,
    natsProtocol: options['nats-protocol'],
    postgresCa: options['postgres-ca'] && `&sslrootcert=${options['postgres-ca']}`,
  };
  const secret = (name, stringData) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: options.namespace },
    type: 'Opaque',
    stringData,
  });
  const items = [
    ...services.map((service) => secret(`pinkas-${service}`, secretsOf(service, hosts))),
    secret('pinkas-operator', {
      NATS_URL: `${hosts.natsProtocol}://operator:${made.NATS_PASSWORD_OPERATOR}@${hosts.nats}`,
    }),
    secret(
      'pinkas-nats-users',
      Object.fromEntries(Object.entries(made).filter(([name]) => name.startsWith('NATS_PASSWORD_'))),
    ),
    secret(
      'pinkas-nats-routes',
      routeCertificate(
        options['nats-route-names']?.split(',') ?? [
          '*.pinkas-nats-headless',
          `*.pinkas-nats-headless.${options.namespace}.svc.cluster.local`,
        ],
      ),
    ),
    secret('pinkas-test-signing', {
      TEST_SIGNING_P12_BASE64: testCertificate(),
      TEST_SIGNING_P12_PASSWORD: made.TEST_SIGNING_P12_PASSWORD,
    }),
    secret('pinkas-redis', { REDIS_PASSWORD: made.REDIS_PASSWORD }),
    secret('pinkas-gotenberg', { GOTENBERG_PASSWORD: made.GOTENBERG_PASSWORD }),
  ];
  const wanted = items.filter(({ metadata }) => (options.only ?? metadata.name) === metadata.name);
  if (wanted.length === 0) {
    throw new Error(
      `--only must name one of these secrets: ${items.map(({ metadata }) => metadata.name).join(', ')}`,
    );
  }
  const missing = given.filter((name) =>
    wanted.some(({ stringData }) => name in stringData && !stringData[name]),
  );
  if (missing.length > 0) {
    throw new Error(`set these in the environment first: ${missing.join(', ')}`);
  }
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: wanted }, null, 2)}\n`;
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    namespace: { type: 'string', default: 'pinkas' },
    postgres: { type: 'string', default: 'pinkas-postgres-rw:5432' },
    // Where the chart mounts the authority's certificate; empty: one that Node trusts by default.
    'postgres-ca': { type: 'string', default: '/etc/pinkas/postgres/ca.crt' },
    redis: { type: 'string', default: 'pinkas-redis:6379' },
    gotenberg: { type: 'string', default: 'pinkas-gotenberg:3000' },
    nats: { type: 'string', default: 'pinkas-nats:4222' },
    'nats-protocol': { type: 'string', default: 'tls' },
    // The names by which the servers of NATS reach each other, if they are not the chart's.
    'nats-route-names': { type: 'string' },
    // The name of one secret, to add it to those of a system that exists.
    only: { type: 'string' },
  },
});
try {
  if (positionals[0] === 'compose') {
    process.stdout.write(composeFile());
  } else if (positionals[0] === 'kubernetes') {
    process.stdout.write(kubernetesManifest(values));
  } else {
    throw new Error('say for what: compose or kubernetes');
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
