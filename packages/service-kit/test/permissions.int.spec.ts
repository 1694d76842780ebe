import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AckPolicy,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  StorageType,
} from '@nats-io/jetstream';
import {
  type Msg,
  type NatsConnection,
  NoRespondersError,
  PermissionViolationError,
} from '@nats-io/nats-core';
import {
  allowedCalls,
  contracts,
  events,
  getUsage,
  inboxPrefixOf,
  issueDocument,
  messageDue,
  type NatsUser,
  natsAuthorization,
  permissionsOf,
  renderArtifact,
  type ServiceName,
  serviceNames,
  streamOf,
  streamsOf,
} from '@pinkas/contracts';
import { eventually, startTestNats, type TestNats, type TestServer } from '@pinkas/testkit';
import { connectNats, ensureStreams } from '../src/index.js';

/** What a service may call of itself. */
const ownCalls: Partial<Record<ServiceName, readonly string[]>> = {
  rendering: ['rpc.rendering.audit_head.list.v1'],
  gateway: ['rpc.gateway.business.mark_connected.v1', 'rpc.gateway.business.update.v1'],
  // Its daily check of a book reads every trail.
  console: ['rpc.console.audit_entry.list.v1', 'rpc.console.audit_entry.list_latest.v1'],
  // It handles events of its own: those that callers are to see.
  delivery: ['rpc.delivery.outbox_event.list.v1', 'rpc.delivery.outbox_event.get.v1'],
};
const passwordOf = (user: NatsUser) => `p-${user}`;
const run = promisify(execFile);

describe('NATS permissions', () => {
  let server: TestNats;
  const open: NatsConnection[] = [];
  beforeAll(async () => {
    server = await startTestNats(natsAuthorization((user) => JSON.stringify(passwordOf(user))));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((connection) => connection.close()));
  });
  afterAll(() => server.stop());

  const addressOf = (user: NatsUser, password = passwordOf(user)) =>
    server.url.replace('nats://', `nats://${user}:${password}@`);

  /** Connects as a service does, and collects what the server refuses. */
  async function connectAs(user: NatsUser) {
    const connection = await connectNats(addressOf(user), user, { inboxPrefix: inboxPrefixOf(user) });
    open.push(connection);
    const denied: string[] = [];
    void (async () => {
      for await (const status of connection.status()) {
        if (status.type === 'error' && status.error instanceof PermissionViolationError) {
          denied.push(`${status.error.operation} ${status.error.subject}`);
        }
      }
    })();
    /** What of these the server refuses; the rest it takes. */
    const refusedOf = async (verb: 'publish' | 'subscribe', subjects: readonly string[], queue?: string) => {
      denied.length = 0;
      for (const subject of subjects) {
        if (verb === 'publish') {
          connection.publish(subject);
        } else {
          connection.subscribe(subject, { ...(queue && { queue }), callback: () => {} });
        }
      }
      await settled(connection);
      const word = verb === 'publish' ? 'publish' : 'subscription';
      return subjects.filter((subject) => denied.includes(`${word} ${subject}`));
    };
    return { connection, denied, refusedOf };
  }

  /** The server refuses in the order of what it is sent; then what has arrived has to be handed out. */
  async function settled(connection: NatsConnection): Promise<void> {
    await connection.flush();
    await new Promise((resolve) => setImmediate(resolve));
  }

  const documentSubjects = events.map((event) => `${event.subject}.1`);

  it('a connection without a password or with a wrong one is rejected', async () => {
    await expect(connectNats(server.url, 'stranger')).rejects.toThrow(/authorization/i);
    await expect(connectNats(addressOf('issuing', passwordOf('delivery')), 'stranger')).rejects.toThrow(
      /authorization/i,
    );
  });

  it.each(serviceNames)('%s may call its declared contracts and no others', async (service) => {
    const { refusedOf } = await connectAs(service);
    const all = contracts.map((contract) => contract.subject);
    const allowed = new Set([
      ...allowedCalls[service].map((allowedCall) => allowedCall.subject),
      ...permissionsOf(service).publish,
    ]);
    const refused = await refusedOf('publish', all);
    expect(refused).toEqual(all.filter((subject) => !allowed.has(subject)));
    // It may not even call itself, but to sign the ends of all trails or to show them, its own among them, and to store a connection.
    const own = contracts.filter(({ owner }) => owner === service).map(({ subject }) => subject);
    expect(own.filter((subject) => !refused.includes(subject))).toEqual(ownCalls[service] ?? []);
  });

  it.each(serviceNames)('%s may publish its own events and no others', async (service) => {
    const { refusedOf } = await connectAs(service);
    const foreign = events.filter((event) => event.owner !== service).map((event) => `${event.subject}.1`);
    expect(await refusedOf('publish', [...documentSubjects, `evt.${service}.made.up.v1.1`])).toEqual([
      ...foreign,
      `evt.${service}.made.up.v1.1`,
    ]);
  });

  it.each(serviceNames)(
    '%s answers what is its own, in its queue group, and hears no other',
    async (service) => {
      const { refusedOf } = await connectAs(service);
      const foreign = contracts
        .filter((contract) => contract.owner !== service)
        .map((contract) => contract.subject);
      const own = contracts
        .filter((contract) => contract.owner === service)
        .map((contract) => contract.subject);
      expect(await refusedOf('subscribe', [...own, ...foreign], service)).toEqual(foreign);
      expect(await refusedOf('subscribe', own, 'another')).toEqual(own);
      // Outside its queue group it would hear what another replica is asked.
      const ofEach = contracts.filter(({ handledBy }) => handledBy === 'every process');
      const ofOne = own.filter((subject) => !ofEach.some((contract) => contract.subject === subject));
      expect(await refusedOf('subscribe', own)).toEqual(ofOne);
      const wide = ['>', 'rpc.>', 'rpc.*.>', 'evt.>', '_INBOX.>', '$JS.>', '$SYS.>'];
      expect(await refusedOf('subscribe', wide)).toEqual(wide);
      const others = serviceNames.filter((other) => other !== service).map((other) => `_INBOX_${other}.>`);
      expect(await refusedOf('subscribe', others)).toEqual(others);
      expect(await refusedOf('subscribe', documentSubjects)).toEqual(
        service === 'issuing' ? [] : documentSubjects,
      );
    },
  );

  it('only a service that may be called replies, also while the server reloads its configuration', async () => {
    const [gateway, issuing, other] = [
      await connectAs('gateway'),
      await connectAs('issuing'),
      await connectAs('console'),
    ];
    const requests: Msg[] = [];
    issuing.connection.subscribe(issueDocument.subject, {
      queue: 'issuing',
      callback: (_error, message) => void requests.push(message),
    });
    await issuing.connection.flush();
    const reply = gateway.connection.request(issueDocument.subject, '{}', { timeout: 60_000 });
    await eventually('the request has arrived', () => requests.length === 1);
    await server.reload();
    requests[0]?.respond('"issued"');
    expect((await reply).json()).toBe('issued');
    expect(issuing.denied).toEqual([]);
    const inboxes = requests.map((request) => request.reply ?? '');
    expect(await other.refusedOf('publish', inboxes)).toEqual(inboxes);
  });

  it('a denied call fails at once and is logged', async () => {
    const { connection } = await connectAs('delivery');
    await expect(connection.request(renderArtifact.subject, '{}', { timeout: 60_000 })).rejects.toMatchObject(
      {
        cause: expect.any(PermissionViolationError),
      },
    );
  });

  describe('JetStream permissions', () => {
    const stream = streamOf('issuing').name;
    const consumerOf = (durable: string, filter = `${messageDue.subject}.*`) => ({
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      filter_subject: filter,
    });
    /** Quick to give up, since what is refused is not answered. */
    const managerOf = async (service: ServiceName): Promise<JetStreamManager> =>
      jetstreamManager((await connectAs(service)).connection, { timeout: 2_000 });

    it('a service creates its streams, and a consumer gets the events of their owner', async () => {
      const issuing = await connectAs('issuing');
      const delivery = await connectAs('delivery');
      await ensureStreams(await jetstreamManager(issuing.connection), streamsOf('issuing'), 1);
      const manager = await jetstreamManager(delivery.connection);
      expect(await ensureStreams(manager, streamsOf('delivery'), 1)).toEqual([]);
      await manager.consumers.add(stream, consumerOf('delivery-due-messages'));
      // Brought up to date at the next start.
      await manager.consumers.update(stream, 'delivery-due-messages', { max_ack_pending: 64 });
      await jetstream(issuing.connection).publish(`${messageDue.subject}.1`, '{"a":1}', { msgID: 'one' });
      const consumer = await jetstream(delivery.connection).consumers.get(stream, 'delivery-due-messages');
      const messages = await consumer.consume({ max_messages: 4, idle_heartbeat: 1_000 });
      for await (const message of messages) {
        expect(message.json()).toEqual({ a: 1 });
        if (message.info.deliveryCount === 1) {
          message.nak();
        } else {
          message.ack();
          messages.stop();
        }
      }
      await eventually('it is acknowledged', async () => {
        const { num_ack_pending, num_pending } = await manager.consumers.info(
          stream,
          'delivery-due-messages',
        );
        return num_ack_pending === 0 && num_pending === 0;
      });
      expect([issuing.denied, delivery.denied]).toEqual([[], []]);
    });

    it('no service may change, purge or delete a stream, or directly read that of another', async () => {
      const manager = await managerOf('issuing');
      await ensureStreams(manager, streamsOf('issuing'), 1);
      const refused = expect.objectContaining({ cause: expect.any(PermissionViolationError) });
      await expect(manager.streams.update(stream, { subjects: ['evt.issuing.>', 'rpc.>'] })).rejects.toEqual(
        refused,
      );
      await expect(manager.streams.purge(stream)).rejects.toEqual(refused);
      await expect(manager.streams.delete(stream)).rejects.toEqual(refused);
      await expect(manager.streams.getMessage(stream, { seq: 1_000_000 })).resolves.toBeNull();
      const delivery = await managerOf('delivery');
      await expect(delivery.streams.getMessage(stream, { seq: 1 })).rejects.toEqual(refused);
      await expect(
        manager.streams.add({ name: 'EVERYTHING', subjects: ['rpc.>'], storage: StorageType.Memory }),
      ).rejects.toEqual(refused);
    });

    it('no service may consume through the consumer of another', async () => {
      const refused = expect.objectContaining({ cause: expect.any(PermissionViolationError) });
      const customer = await managerOf('customer');
      await expect(customer.consumers.add(stream, consumerOf('delivery-due-messages'))).rejects.toEqual(
        refused,
      );
      await expect(customer.consumers.info(stream, 'delivery-due-messages')).rejects.toEqual(refused);
      await expect(
        customer.consumers.add(stream, consumerOf('customer-changed-cards', 'evt.issuing.>')),
      ).rejects.toEqual(refused);
      await expect(customer.consumers.delete(stream, 'customer-changed-cards')).rejects.toEqual(refused);
    });

    it('the gateway has no JetStream permissions', async () => {
      const { connection } = await connectAs('gateway');
      await expect(jetstreamManager(connection, { timeout: 2_000 })).rejects.toMatchObject({
        cause: expect.any(PermissionViolationError),
      });
    });
  });

  it('the operator may call everything and see every event, and may not reply', async () => {
    const { connection, refusedOf } = await connectAs('operator');
    const all = contracts.map((contract) => contract.subject);
    expect(await refusedOf('publish', all)).toEqual([]);
    expect(await refusedOf('subscribe', ['evt.>', '_INBOX.x.*'])).toEqual([]);
    expect(await refusedOf('subscribe', all)).toEqual(all);
    expect(await refusedOf('publish', documentSubjects)).toEqual(documentSubjects);
    await expect(connection.request(getUsage.subject, '{}', { timeout: 60_000 })).rejects.toMatchObject({
      cause: expect.any(NoRespondersError),
    });
    const manager = await jetstreamManager(connection);
    await manager.streams.update(streamOf('issuing').name, { max_bytes: 1024 ** 2 });
    const differing = await ensureStreams(manager, streamsOf('issuing'), 1);
    expect(differing).toEqual([{ stream: 'EVT_ISSUING', differs: ['max_bytes'] }]);
  });
});

describe('NATS over TLS', () => {
  let certificate: string;
  let server: TestServer;
  let plain: TestServer;
  beforeAll(async () => {
    const folder = await mkdtemp(join(process.env.PINKAS_TEST_HOME ?? '/tmp', 'nats-tls-'));
    certificate = join(folder, 'ca.crt');
    const key = join(folder, 'tls.key');
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', certificate],
    ]);
    const users = natsAuthorization(() => '"p0123456789"');
    server = await startTestNats(`tls { cert_file: "${certificate}", key_file: "${key}" }\n${users}`);
    plain = await startTestNats(users);
  });
  afterAll(() => Promise.all([server.stop(), plain.stop()]));

  const addressOf = (of: TestServer) =>
    of.url.replace('nats://127.0.0.1', 'tls://issuing:p0123456789@localhost');

  it('a client that trusts the authority of the certificate connects', async () => {
    const connection = await connectNats(addressOf(server), 'issuing', { caFile: certificate });
    expect(connection.info?.tls_required).toBe(true);
    await connection.close();
  });

  it('a certificate of an unknown authority is rejected', async () => {
    await expect(connectNats(addressOf(server), 'issuing')).rejects.toThrow(/certificate|TLS/i);
  });

  it('a password is not sent over an unencrypted connection', async () => {
    await expect(connectNats(addressOf(plain), 'issuing', { caFile: certificate })).rejects.toThrow(
      "server does not support 'tls'",
    );
    await expect(connectNats(addressOf(plain), 'issuing')).rejects.toThrow("server does not support 'tls'");
  });
});
