import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Issued, issueCertificate, openssl } from './certificates.js';

const settings = `[tsa]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
`;

/** @param purposes in openssl's words. @param like another one, whose key and number it has. */
export function issueTimeCertificate(purposes: string, like?: Issued): Promise<Issued> {
  const extensions = ['basicConstraints=CA:FALSE', `extendedKeyUsage=${purposes}`];
  if (!like) return issueCertificate('Example Time', extensions);
  // Without the remark it would be the very same, where both are made within a second.
  return issueCertificate('Example Time', [...extensions, 'nsComment=another'], { like });
}

/** A time-stamp authority: openssl answers over HTTP, as RFC 3161 says, unless a test has it answer otherwise. */
export class TestAuthority {
  /** How it answers a request. */
  answer: (request: Buffer, response: ServerResponse) => Promise<void> | void = (request, response) =>
    this.#stamp(request).then((stamp) => void response.end(stamp));
  /** How often it was asked. */
  asked = 0;

  private constructor(
    private readonly server: Server,
    readonly certificate: Issued,
  ) {}

  static async start(): Promise<TestAuthority> {
    const server = createServer();
    const authority = new TestAuthority(server, await issueTimeCertificate('critical,timeStamping'));
    server.on('request', (request, response) => {
      authority.asked += 1;
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

  /** Answers with the stamp that `request` asks for, changed. */
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
      { request, key, certificate, settings, serial: '01\n', chain: certificate },
      ['reply'],
    );
    return files[0] ?? Buffer.alloc(0);
  }
}
