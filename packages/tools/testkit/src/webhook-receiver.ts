import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from './pdf/certificates.js';

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a receiver does with a request whose body it has read. */
type WebhookAnswer = (webhook: ReceivedWebhook, response: ServerResponse, request: IncomingMessage) => void;

/** A receiver of webhooks on this machine, which answers 204 unless a test replaces its answer. */
export class WebhookReceiver {
  /** In the order of their arrival. */
  readonly received: ReceivedWebhook[] = [];
  answer: WebhookAnswer = noContent;

  private constructor(
    readonly url: string,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  /** @param certificateOf the name in the certificate that it presents, which it has signed itself; without one it speaks http. */
  static async start(certificateOf?: string): Promise<WebhookReceiver> {
    const tls = certificateOf === undefined ? undefined : await issueCertificate(certificateOf, []);
    const handle: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = request.headers as Record<string, string>;
        const webhook = { headers, body: Buffer.concat(chunks).toString('utf8') };
        receiver.received.push(webhook);
        receiver.answer(webhook, response, request);
      });
    };
    const server = tls
      ? createTlsServer({ key: tls.key, cert: tls.certificate }, handle)
      : createServer(handle);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const receiver = new WebhookReceiver(`${tls ? 'https' : 'http'}://127.0.0.1:${port}/webhooks`, server);
    return receiver;
  }

  /** The ids of the events that arrived, each as often as it did. */
  get ids(): string[] {
    return this.received.map(({ headers }) => headers['webhook-id'] ?? '');
  }

  /** Ends it, with the requests that it has not answered. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const noContent: WebhookAnswer = (_webhook, response) => response.writeHead(204).end();
