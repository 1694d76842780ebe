import { randomUUID } from 'node:crypto';
import {
  type Contract,
  compile,
  type EventContract,
  type EventOf,
  eventSubject,
  type ReplyOf,
  type RequestOf,
  serviceNames,
  streamsOf,
} from '@pinkas/contracts';
import { connectNats, ensureStreams, newContext, Peers, Problem, withContext } from '@pinkas/service-kit';
import { type NatsConnection, headers as natsHeaders } from 'nats';

/** The rest of the system, as one service under test sees it. */
export class TestNetwork {
  private constructor(
    readonly connection: NatsConnection,
    readonly peers: Peers,
  ) {}

  static async open(natsUrl: string): Promise<TestNetwork> {
    const connection = await connectNats(natsUrl, 'test');
    // The services that are not there would have made theirs.
    await ensureStreams(await connection.jetstreamManager(), serviceNames.flatMap(streamsOf), 1);
    return new TestNetwork(connection, new Peers(connection));
  }

  /** Asks like another service would. */
  ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    return withContext(newContext(20_000), () => this.peers.ask(contract, request));
  }

  /**
   * Stands in for a service that is not under test. The request and the reply are held against the contract, so that a
   * stand-in cannot drift from it.
   * @returns a function that ends it.
   */
  answer<C extends Contract>(
    contract: C,
    handle: (request: RequestOf<C>) => Promise<ReplyOf<C>> | ReplyOf<C>,
  ): () => void {
    const checkRequest = compile(contract.request);
    const checkReply = compile(contract.reply);
    const subscription = this.connection.subscribe(contract.subject, {
      callback: (_error, message) => {
        void (async () => {
          try {
            const request = checkRequest(message.json());
            if (!request.ok) throw new Error(`${contract.subject}: ${JSON.stringify(request.faults)}`);
            const reply = checkReply(await handle(request.value as RequestOf<C>));
            if (!reply.ok) throw new Error(`${contract.subject}: ${JSON.stringify(reply.faults)}`);
            message.respond(JSON.stringify(reply.value));
          } catch (error) {
            const problem =
              error instanceof Problem ? error : new Problem('internal_error', { cause: error });
            const headers = natsHeaders();
            headers.set('Nats-Service-Error', problem.code);
            headers.set('Nats-Service-Error-Code', String(problem.status));
            message.respond(JSON.stringify({ code: problem.code, details: problem.details }), { headers });
          }
        })();
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Publishes an event to its stream, as the relay of its owner would. */
  async publish<E extends EventContract>(
    event: E,
    documentId: string,
    body: EventOf<E>,
    messageId: string = randomUUID(),
  ): Promise<void> {
    const checked = compile(event.body)(body);
    if (!checked.ok) throw new Error(`${event.subject}: ${JSON.stringify(checked.faults)}`);
    await this.connection
      .jetstream()
      .publish(eventSubject(event, documentId), JSON.stringify(body), { msgID: messageId });
  }

  /** Collects an event's bodies as they are published from now on. */
  collect<E extends EventContract>(event: E): EventOf<E>[] {
    const seen: EventOf<E>[] = [];
    this.connection.subscribe(`${event.subject}.*`, {
      callback: (_error, message) => void seen.push(message.json()),
    });
    return seen;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
