import { generateKeyPairSync } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Check, diagnosing, type IssuedDocument } from '@pinkas/contracts';
import { ConfigError } from '@pinkas/service-kit/config';
import { Diagnosis } from '@pinkas/service-kit/diagnosis';
import { eventually } from '@pinkas/testkit';
import { type DeliveryConfig } from '../src/config.js';
import { readDkimKeys } from '../src/dkim-keys.js';
import { MailChecks } from '../src/mail/mail-checks.js';
import { checkMailDomain } from '../src/mail/mail-domain-checks.js';
import { Mailer } from '../src/mail/mailer.js';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';
import { startDnsServer, type TestDnsServer } from './dns-server.js';
import { writeCertificate } from './mailbox-certificate.js';

const second = 1_000;
/** On a busy machine the first handshake of a process takes longer than the other tests let a server be silent. */
const handshakeMs = 10_000;
const hour = 3_600 * second;
const pem = { type: 'pkcs8', format: 'pem' } as const;

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

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery();
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('Mailer with a failing server', () => {
  const outcomes = async (invoice: IssuedDocument) =>
    (await delivery.attempts(invoice)).map(({ n, outcome, was_unknown: wasUnknown }) => [
      n,
      outcome,
      wasUnknown,
    ]);

  it('MessageSender records every attempt and sends an email once when the server finally accepts it', async () => {
    await delivery.mailbox.mode('temporary', 2);
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    await delivery.attempted(invoice, 1);
    delivery.advanceClock(5 * second);
    await delivery.attempted(invoice, 2);
    delivery.advanceClock(30 * second);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
    expect(await outcomes(invoice)).toEqual([
      [1, 'temporary', false],
      [2, 'temporary', false],
      [3, 'accepted', false],
    ]);
    const attempts = await delivery.attempts(invoice);
    expect(attempts[0]?.provider_response).toBe('451 try again later');
    expect(attempts[2]?.provider_response).toMatch(/^250 stored as /);
  });

  it.each([
    ['the connection ends', 'drop_after_data', 2],
    ['the server is silent', 'hang', 0],
  ] as const)(
    'MessageSender sends an email of unknown outcome, since %s, once more under the same id and never a third time',
    async (_why, mode, stored) => {
      await delivery.mailbox.mode(mode);
      const recipient = delivery.newRecipient();
      const invoice = await delivery.issueReady(recipient);
      const first = await delivery.attempted(invoice, 1);
      expect(first).toMatchObject({ state: 'ready', unknown_outcomes: 1 });
      delivery.advanceClock(5 * second);
      expect(await delivery.attempted(invoice, 2)).toMatchObject({
        state: 'failed',
        unknown_outcomes: 2,
        message_id: first.message_id,
      });
      expect(await outcomes(invoice)).toEqual([
        [1, 'unknown', true],
        [2, 'unknown', true],
      ]);
      await delivery.mailbox.mode('ok');
      delivery.advanceClock(hour);
      const next = await delivery.inState(await delivery.issueReady(recipient), 'sent');
      const mails = await delivery.mailbox.mailTo(recipient);
      expect(mails.map((mail) => mail.message_id).sort()).toEqual(
        [...Array(stored).fill(first.message_id), next.message_id].sort(),
      );
    },
  );

  it('MessageSender accepts the second response after one was lost', async () => {
    await delivery.mailbox.mode('drop_after_data', 1);
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    await delivery.attempted(invoice, 1);
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(2);
    expect(await outcomes(invoice)).toEqual([
      [1, 'unknown', true],
      [2, 'accepted', false],
    ]);
  });

  it('MessageSender sends each email once when a pooled connection breaks between two', async () => {
    const recipient = delivery.newRecipient();
    await delivery.inState(await delivery.issueReady(recipient), 'sent');
    await delivery.mailbox.kill();
    await delivery.mailbox.restart();
    const invoice = await delivery.issueReady(recipient);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts > 0);
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(2);
  });

  it('Mailer sends a domain in ASCII to a server without SMTPUTF8', async () => {
    const recipient = delivery.newRecipient().replace('example.com', 'דוגמה.example');
    await delivery.inState(await delivery.issueReady(recipient), 'sent');
    // The mailbox shows a domain as people write it; the mail itself is as it came.
    const [mail] = await delivery.mailbox.mailTo(recipient);
    const [to] = /^To: .*$/m.exec(await delivery.mailbox.raw(mail?.id ?? '')) ?? [];
    expect(to).toContain('@xn--6dbbec0c.example');
  });

  it('Mailer sends a non-ASCII local part to a server with SMTPUTF8', async () => {
    const recipient = `לקוח-${delivery.newRecipient()}`;
    await delivery.inState(await delivery.issueReady(recipient), 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('MessageSender fails a non-ASCII address at once when the server lacks SMTPUTF8', async () => {
    await delivery.mailbox.mode('ascii_only');
    const invoice = await delivery.issueReady('לקוח@example.com');
    const row = await delivery.inState(invoice, 'failed');
    expect(row).toMatchObject({
      attempts: 1,
      last_error: 'The mail server takes no address with letters beyond ASCII (SMTPUTF8).',
    });
    expect(await delivery.mailbox.mailTo('לקוח@example.com')).toEqual([]);
  });

  it('Mailer sets the Content-Language header', async () => {
    const recipient = delivery.newRecipient();
    await delivery.inState(await delivery.issueReady(recipient, { business: { language: 'en' } }), 'sent');
    const [mail] = await delivery.mailbox.mailTo(recipient);
    expect(await delivery.mailbox.raw(mail?.id ?? '')).toMatch(/^Content-Language: en\r?$/m);
  });
});

describe('Mailer with required TLS', () => {
  let delivery: DeliveryUnderTest;
  beforeAll(async () => {
    delivery = await startDelivery({
      patience: handshakeMs,
      config: async (mailbox, folder) => {
        const smtpCaFile = join(folder, 'mail-ca.pem');
        await writeCertificate(mailbox.smtpUrl, smtpCaFile);
        const smtpUrl = mailbox.smtpUrl.replace('127.0.0.1', 'localhost');
        return { smtpTls: 'required', smtpCaFile, smtpUrl };
      },
    });
  });
  afterAll(() => delivery.stop());
  afterEach(() => delivery.mailbox.mode('ok'));

  it('MessageSender sends an email once after a connection was cut in the TLS handshake', async () => {
    await delivery.mailbox.mode('drop_tls', 1);
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    expect(await delivery.attempted(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
    delivery.advanceClock(5 * second);
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('Mailer sends over TLS to a server with a trusted certificate', async () => {
    const recipient = delivery.newRecipient();
    await delivery.inState(await delivery.issueReady(recipient), 'sent');
    const [mail] = await delivery.mailbox.mailTo(recipient);
    expect(mail?.secure).toBe(true);
  });

  it('Mailer sends nothing to a server with an untrusted certificate', async () => {
    // Started again it has a certificate that no one vouches for.
    await delivery.mailbox.kill();
    await delivery.mailbox.restart();
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issueReady(recipient);
    expect(await delivery.attempted(invoice, 1)).toMatchObject({ state: 'ready', unknown_outcomes: 0 });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });
});

describe('Mailer with opportunistic TLS', () => {
  it('Mailer accepts an untrusted certificate with opportunistic TLS', async () => {
    const delivery = await startDelivery({
      patience: handshakeMs,
      config: async () => ({ smtpTls: 'opportunistic' }),
    });
    try {
      const recipient = delivery.newRecipient();
      await delivery.inState(await delivery.issueReady(recipient), 'sent');
      const [mail] = await delivery.mailbox.mailTo(recipient);
      expect(mail?.secure).toBe(true);
    } finally {
      await delivery.stop();
    }
  });
});

describe('Mailer.sendTimeoutMs', () => {
  /** A wait of the kit is over after so many looks (ADR 0067). */
  const looksPerWait = 8;
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['the question what the server can do', 0, 'The mail server did not say what it can do.'],
    ['the handing over that follows it', 1, expect.anything()],
  ])('Mailer.sendTimeoutMs covers %s', async (_what, answeredConnections, reason) => {
    const server = await startServer(answeredConnections);
    const intervals = jest.spyOn(globalThis, 'setInterval');
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
    const bounds = intervals.mock.calls.filter(([, ms]) => ms === mailer.sendTimeoutMs / looksPerWait);
    expect(bounds).toHaveLength(1);
    for (let looks = 0; looks < looksPerWait; looks += 1) {
      bounds[0]?.[0]();
    }
    expect(await sending).toMatchObject({ kind: 'temporary', reason });
    mailer.close();
    await server.stop();
  });
});

describe('readDkimKeys', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-dkim-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const rsa = (modulusLength: number) =>
    generateKeyPairSync('rsa', { modulusLength }).privateKey.export(pem).toString();
  const key = rsa(2048);

  it('readDkimKeys reads domain and selector of the name of each file', async () => {
    await write('pinkas._domainkey.shop.example.com.pem', key);
    await write('a.2026._domainkey.example.org.pem', key);
    await write('README', 'no key');
    expect([...readDkimKeys(folder).values()].map(({ domain, selector }) => [domain, selector])).toEqual([
      ['example.org', 'a.2026'],
      ['shop.example.com', 'pinkas'],
    ]);
  });

  it.each([
    [
      'a key that the mail library cannot sign with',
      {
        'a._domainkey.example.com.pem': () =>
          generateKeyPairSync('ed25519').privateKey.export(pem).toString(),
      },
      'with a key of type ed25519: emails are signed with RSA keys only',
    ],
    ['a short key', { 'a._domainkey.example.com.pem': () => rsa(1024) }, '1024 bits'],
    ['a file that is no key', { 'a._domainkey.example.com.pem': () => 'no key' }, 'not a private key'],
    ['a name without a selector', { 'example.com.pem': () => key }, 'name it <selector>._domainkey'],
    [
      'two keys of one domain',
      { 'a._domainkey.example.com.pem': () => key, 'b._domainkey.example.com.pem': () => key },
      'two keys for example.com',
    ],
    ['an empty folder', {}, 'has no key'],
  ])('readDkimKeys refuses %s', async (_what, files, reason) => {
    for (const [name, text] of Object.entries(files)) {
      await write(name, text());
    }
    expect(() => readDkimKeys(folder)).toThrow(ConfigError);
    expect(() => readDkimKeys(folder)).toThrow(reason);
  });

  it('readDkimKeys refuses a folder that cannot be read', () => {
    expect(() => readDkimKeys(join(folder, 'absent'))).toThrow('cannot be read');
  });
});

describe('MailChecks', () => {
  it('a mail server that takes emails is ok, and one that does not answer is a failure', async () => {
    const { checks } = await delivery.network.call(diagnosing.delivery.diagnoseProcess, {});
    const ofServer = (all: readonly Check[]) =>
      all.filter(({ subject }) => subject.startsWith('mail server'));
    expect(ofServer(checks)).toMatchObject([{ state: 'ok' }]);
    const config = { ...delivery.config, smtpUrl: 'smtp://127.0.0.1:1', smtpTls: 'off' } as DeliveryConfig;
    const mailer = new Mailer(config);
    const diagnosis = new Diagnosis('delivery');
    new MailChecks(config, mailer, diagnosis);
    const [server] = ofServer(await diagnosis.run());
    mailer.close();
    expect(server).toMatchObject({ state: 'failure', finding: expect.stringContaining('ECONNREFUSED') });
  });

  it('a domain that no DNS has is not checked', async () => {
    const never = { resolveTxt: () => Promise.reject(new Error('the DNS was asked')) };
    const domain = { domain: 'pinkas.localhost', key: undefined, isEnvelope: true };
    expect(await checkMailDomain(never, domain)).toMatchObject([{ state: 'not_checked' }]);
  });
});

describe('checkMailDomain', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const p = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const p1 = publicKey.export({ type: 'pkcs1', format: 'der' }).toString('base64');
  const domain = 'mail.pinkas.co.il';
  const key = { domain, selector: 's1', privateKey: privateKey.export(pem).toString() };
  const good = {
    [domain]: ['v=spf1 include:_spf.pinkas.co.il -all', 'another=text'],
    [`s1._domainkey.${domain}`]: [`v=DKIM1; k=rsa; p=${p}`],
    '_dmarc.pinkas.co.il': ['v=DMARC1; p=none; sp=reject'],
  };
  let dns: TestDnsServer;
  const resolver = new Resolver({ timeout: 4_000 });
  beforeAll(async () => {
    dns = await startDnsServer();
    resolver.setServers([`127.0.0.1:${dns.port}`]);
  });
  afterAll(() => dns?.stop());

  const states = async (records: Record<string, readonly string[] | 'SERVFAIL'>, isSigned = true) => {
    dns.records = { ...good, ...records };
    const mailDomain = { domain, key: isSigned ? key : undefined, isEnvelope: true };
    return (await checkMailDomain(resolver, mailDomain)).map(
      ({ subject, state }) => `${subject.split(' ')[0]} ${state}`,
    );
  };

  it('a domain whose records fit its emails is ok, also with the policy of the domain above it', async () => {
    expect(await states({})).toEqual(['SPF ok', 'DKIM ok', 'DMARC ok']);
    expect(await states({ [`s1._domainkey.${domain}`]: [`p=${p1}`] })).toContain('DKIM ok');
    expect(await states({ [`_dmarc.${domain}`]: ['v=DMARC1; p=quarantine'] })).toContain('DMARC ok');
  });

  it.each([
    ['no SPF record', { [domain]: ['another=text'] }, 'SPF failure'],
    ['two SPF records', { [domain]: ['v=spf1 -all', 'v=spf1 a -all'] }, 'SPF failure'],
    ['an SPF record for everybody', { [domain]: ['v=spf1 +all'] }, 'SPF warning'],
    ['no record of the key', { [`s1._domainkey.${domain}`]: [] }, 'DKIM failure'],
    [
      'another key',
      { [`s1._domainkey.${domain}`]: [`v=DKIM1; p=${p.replace(/^.{60}/, 'A'.repeat(60))}`] },
      'DKIM failure',
    ],
    ['a revoked key', { [`s1._domainkey.${domain}`]: ['v=DKIM1; p='] }, 'DKIM failure'],
    ['a key that is tested', { [`s1._domainkey.${domain}`]: [`v=DKIM1; t=y; p=${p}`] }, 'DKIM warning'],
    ['no DMARC record', { '_dmarc.pinkas.co.il': [] }, 'DMARC warning'],
    [
      'a DMARC record without a policy',
      { '_dmarc.pinkas.co.il': ['v=DMARC1; rua=mailto:a@b'] },
      'DMARC failure',
    ],
    ['a DNS server that fails', { [domain]: 'SERVFAIL' as const }, 'SPF not_checked'],
  ])('with %s the domain has its line', async (_what, records, line) => {
    expect(await states(records)).toContain(line);
  });

  it('a domain whose emails are not signed is a warning, for DMARC as well where it rejects', async () => {
    expect(await states({}, false)).toEqual(['SPF ok', 'DKIM warning', 'DMARC warning']);
  });
});
