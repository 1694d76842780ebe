import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueCertificate, openssl, type TestCertificate } from './certificates.js';

const settings = `[tsa]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
`;

/** What a certificate for time-stamps has. @param purposes as openssl writes them. */
export const timeExtensions = (purposes: string) => [
  'basicConstraints=CA:FALSE',
  `extendedKeyUsage=${purposes}`,
];

/** @param purposes as openssl writes them. @param like a certificate whose key and serial number this one has. */
export function issueTimeCertificate(purposes: string, like?: TestCertificate): Promise<TestCertificate> {
  const extensions = timeExtensions(purposes);
  if (!like) {
    return issueCertificate('Example Time', extensions);
  }
  // The comment makes it differ from the first, where both are made within a second.
  return issueCertificate('Example Time', [...extensions, 'nsComment=another'], { like });
}

/** That of every authority of a test file that is given none: to make an RSA key takes longer than most tests. */
let ownCertificate: Promise<TestCertificate> | undefined;

function ownTimeCertificate(): Promise<TestCertificate> {
  ownCertificate ??= issueTimeCertificate('critical,timeStamping');
  return ownCertificate;
}

/** A time-stamp authority: openssl replies over HTTP as RFC 3161 says, unless a test replaces the reply. */
export class TestTimestampAuthority {
  answer: (request: Buffer, response: ServerResponse) => Promise<void> | void = (request, response) =>
    this.#stamp(request).then((stamp) => void response.end(stamp));
  requests = 0;

  private constructor(
    private readonly server: Server,
    readonly certificate: TestCertificate,
    /** In PEM. */
    private readonly chain: string,
  ) {}

  /** @param issued its certificate and those above it; otherwise one that is its own issuer. */
  static async start(issued?: {
    certificate: TestCertificate;
    chain: string;
  }): Promise<TestTimestampAuthority> {
    const server = createServer();
    const certificate = issued?.certificate ?? (await ownTimeCertificate());
    const authority = new TestTimestampAuthority(
      server,
      certificate,
      issued?.chain ?? certificate.certificate,
    );
    server.on('request', (request, response) => {
      authority.requests += 1;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void authority.answer(Buffer.concat(chunks), response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return authority;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/tsr`;
  }

  /** Replies with the requested time-stamp, changed. */
  answerWith(change: (stamp: Buffer) => Buffer): void {
    this.answer = async (request, response) => void response.end(change(await this.#stamp(request)));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #stamp(request: Buffer): Promise<Buffer> {
    const { certificate, key } = this.certificate;
    const { files } = await openssl(
      [
        ...['ts', '-reply', '-queryfile', 'request', '-inkey', 'key', '-signer', 'certificate'],
        ...['-chain', 'chain', '-config', 'settings', '-section', 'tsa', '-out', 'reply'],
      ],
      { request, key, certificate, settings, serial: '01\n', chain: this.chain },
      ['reply'],
    );
    return files[0] ?? Buffer.alloc(0);
  }
}
