import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import type { DeliveryConfig } from '../src/config.js';
import { Mailer } from '../src/mail/mailer.js';

/** A mail server that answers on its first connections, and from then on only greets. */
async function startServer(answeredConnections: number) {
  const sockets: Socket[] = [];
  let unanswered = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    const answers = sockets.length <= answeredConnections;
    socket.on('error', () => {});
    socket.write('220 mail.example.com ESMTP\r\n');
    socket.on('data', () => {
      if (answers) {
        socket.write('250-mail.example.com\r\n250 SMTPUTF8\r\n');
      } else {
        unanswered += 1;
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isWaitedFor: () => unanswered > 0,
    async stop() {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}

describe('Mailer.sendTimeoutMs', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['the question what the server can do', 0, 'The mail server did not say what it can do.'],
    ['the handing over that follows it', 1, expect.anything()],
  ])('Mailer.sendTimeoutMs covers %s', async (_what, answeredConnections, reason) => {
    const server = await startServer(answeredConnections);
    const bound = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(bound.signal);
    // So long that nothing else ends the wait.
    const config = {
      smtpUrl: server.url,
      smtpTimeoutMs: 600_000,
      smtpTls: 'off',
      smtpCaFile: null,
      mailFrom: 'documents@example.com',
      dkimKeys: new Map(),
    };
    const mailer = new Mailer(config as unknown as DeliveryConfig);
    const sending = mailer.send({
      email: { subject: 'x', text: 'x', html: 'x', fileName: 'x.pdf', language: 'en' },
      pdf: Buffer.from('x'),
      logo: null,
      messageId: '<x@example.com>',
      fromName: 'Example Ltd',
      fromAddress: null,
      replyTo: null,
      inReplyTo: null,
      recipient: 'לקוח@example.com',
    });
    await eventually('the server is waited for', server.isWaitedFor);
    bound.abort();
    expect(await sending).toMatchObject({ kind: 'temporary', reason });
    expect(timeout).toHaveBeenCalledTimes(1);
    mailer.close();
    await server.stop();
  });
});
