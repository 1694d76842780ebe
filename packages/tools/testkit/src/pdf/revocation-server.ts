import { X509Certificate } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueCertificate, openssl, type TestCertificate } from './certificates.js';

const settings = `[ca]
default_ca = authority
[authority]
database = index
default_md = sha256
crlnumber = number
`;

const asUtc = (date: Date) => `${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`;

type Answer = (request: Buffer, response: ServerResponse) => Promise<void> | void;

/** By name, for a test file: to make an RSA key takes longer than most tests. */
const roots = new Map<string, Promise<TestCertificate>>();

function rootOf(name: string): Promise<TestCertificate> {
  const root =
    roots.get(name) ??
    issueCertificate(name, [
      'basicConstraints=critical,CA:TRUE',
      'keyUsage=critical,keyCertSign,cRLSign,digitalSignature',
    ]);
  roots.set(name, root);
  return root;
}

/** A certificate authority whose OCSP responder and revocation list are served over HTTP; openssl makes the replies. */
export class TestCertificateAuthority {
  readonly revoked = new Map<string, Date>();
  readonly requests: string[] = [];
  /** How long its replies are valid. */
  days = 1;
  /** Who signs OCSP replies, in place of the authority itself. */
  responder: TestCertificate;
  /** Replaces the answers of a path. */
  readonly answers = new Map<string, Answer>();
  readonly #issued: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly certificate: TestCertificate,
  ) {
    this.responder = certificate;
    server.on('request', (request, response) => {
      const path = request.url ?? '';
      this.requests.push(path);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = this.answers.get(path) ?? this.#answerOf(path);
        void answer(Buffer.concat(chunks), response);
      });
    });
  }

  static async start(name: string): Promise<TestCertificateAuthority> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TestCertificateAuthority(server, await rootOf(name));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What names the OCSP responder, the list, and the certificate of the authority, in openssl's words. */
  sources(...kinds: ('ocsp' | 'list' | 'issuer')[]): string[] {
    const access = [
      ...(kinds.includes('ocsp') ? [`OCSP;URI:${this.origin}/ocsp`] : []),
      ...(kinds.includes('issuer') ? [`caIssuers;URI:${this.origin}/issuer`] : []),
    ];
    return [
      ...(access.length > 0 ? [`authorityInfoAccess=${access.join(',')}`] : []),
      ...(kinds.includes('list') ? [`crlDistributionPoints=URI:${this.origin}/list`] : []),
    ];
  }

  async issue(name: string, extensions: readonly string[]): Promise<TestCertificate> {
    const issued = await issueCertificate(name, extensions, {
      issuer: this.certificate,
      algorithm: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    });
    this.#issued.push(issued.certificate);
    return issued;
  }

  revoke({ certificate }: TestCertificate, at = new Date()): void {
    this.revoked.set(new X509Certificate(certificate).serialNumber, at);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Its list of revoked certificates, in DER. */
  async list(): Promise<Buffer> {
    const { certificate, key } = this.certificate;
    const made = await openssl(
      [
        ...['ca', '-gencrl', '-config', 'settings', '-keyfile', 'key', '-cert', 'certificate'],
        ...['-crldays', String(this.days), '-out', 'list.pem'],
      ],
      { settings, key, certificate, index: this.#index(), number: '01\n' },
      ['list.pem'],
    );
    const pem = made.files[0] ?? Buffer.alloc(0);
    const { files } = await openssl(['crl', '-in', 'pem', '-outform', 'DER', '-out', 'der'], { pem }, [
      'der',
    ]);
    return files[0] ?? Buffer.alloc(0);
  }

  /** Its reply to a request of OCSP. */
  async reply(request: Buffer): Promise<Buffer> {
    const { files } = await openssl(
      [
        ...['ocsp', '-index', 'index', '-CA', 'ca', '-rsigner', 'signer', '-rkey', 'key'],
        ...['-reqin', 'request', '-respout', 'reply', '-ndays', String(this.days), '-rmd', 'sha256'],
      ],
      {
        index: this.#index(),
        ca: this.certificate.certificate,
        signer: this.responder.certificate,
        key: this.responder.key,
        request,
      },
      ['reply'],
    );
    return files[0] ?? Buffer.alloc(0);
  }

  #answerOf(path: string): Answer {
    if (path === '/ocsp') {
      return async (request, response) => void response.end(await this.reply(request));
    }
    if (path === '/list') {
      return async (_request, response) => void response.end(await this.list());
    }
    return (_request, response) => void response.end(new X509Certificate(this.certificate.certificate).raw);
  }

  /** The database of `openssl ca`. */
  #index(): string {
    return this.#issued
      .map((pem) => {
        const { serialNumber, validTo } = new X509Certificate(pem);
        const revokedAt = this.revoked.get(serialNumber);
        return [
          revokedAt ? 'R' : 'V',
          asUtc(new Date(validTo)),
          revokedAt ? asUtc(revokedAt) : '',
          serialNumber,
          'unknown',
          `/CN=${serialNumber}`,
        ].join('\t');
      })
      .map((line) => `${line}\n`)
      .join('');
  }
}
