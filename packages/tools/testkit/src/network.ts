import { randomUUID } from 'node:crypto';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, headers as natsHeaders, type Subscription } from '@nats-io/nats-core';
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
  timeLimitsMs,
} from '@pinkas/contracts';
import {
  ApiError,
  connectNats,
  ensureStreams,
  newContext,
  RpcClient,
  withContext,
} from '@pinkas/service-kit';

/** A bound for a NATS server that waits for processor time as all others do. */
const answerTimeoutMs = 60_000;

/** What a test gets wrong: its service sees an internal error, so that the cause is printed as well. */
function misfit({ subject }: Contract, errors: unknown): Error {
  const error = new Error(`${subject}: ${JSON.stringify(errors)}`);
  process.stderr.write(`${error.message}\n`);
  return error;
}

/** How long a call of a test waits. */
const patienceMs = 60_000;

/** The streams and consumers of a server. */
export const streamManagerOf = (connection: NatsConnection): Promise<JetStreamManager> =>
  jetstreamManager(connection, { timeout: answerTimeoutMs });

const progress = natsHeaders();
progress.set('Pinkas-Progress', '1');
const progressMs = timeLimitsMs.progress;

type Handler = (request: unknown) => Promise<unknown>;

/** The rest of the system, as one service under test sees it. */
export class TestNetwork {
  readonly #patientContracts = new Map<Contract, Contract>();
  /** By subject: the last of the handlers answers. */
  readonly #answers = new Map<
    string,
    { readonly handlers: Handler[]; readonly subscription: Subscription }
  >();

  private constructor(
    readonly connection: NatsConnection,
    readonly client: RpcClient,
  ) {}

  static async open(natsUrl: string): Promise<TestNetwork> {
    const connection = await connectNats(natsUrl, 'test');
    // The services that do not run would have created theirs.
    await ensureStreams(await streamManagerOf(connection), serviceNames.flatMap(streamsOf), 1);
    return new TestNetwork(connection, new RpcClient(connection));
  }

  /** Calls a contract as another service does, and waits longer: a busy machine may need more than the time limit of a contract. */
  call<C extends Contract>(contract: C, request: RequestOf<C>, timeoutMs = patienceMs): Promise<ReplyOf<C>> {
    return withContext(newContext(timeoutMs), () => this.client.call(this.#patient(contract), request));
  }

  #patient<C extends Contract>(contract: C): C {
    const patient = this.#patientContracts.get(contract) ?? {
      ...contract,
      timeoutMs: Math.max(contract.timeoutMs, patienceMs),
    };
    this.#patientContracts.set(contract, patient);
    return patient as C;
  }

  /**
   * Answers for a service that is not under test, in place of an earlier answer to the contract, and reports progress as a service
   * does. Request and reply are validated against the contract, so that a fake cannot drift from it.
   * @returns a function that ends it.
   */
  answer<C extends Contract>(
    contract: C,
    handle: (request: RequestOf<C>) => Promise<ReplyOf<C>> | ReplyOf<C>,
  ): () => void {
    const checkRequest = compile(contract.request);
    const checkReply = compile(contract.reply);
    return this.#handle(contract, async (sent) => {
      const request = checkRequest(sent);
      if (!request.ok) {
        throw misfit(contract, request.errors);
      }
      const reply = checkReply(await handle(request.value as RequestOf<C>));
      if (!reply.ok) {
        throw misfit(contract, reply.errors);
      }
      return reply.value;
    });
  }

  /** Answers for services that are away, at once, as a call ends that has waited for a service that does not run. */
  answerAway(contracts: readonly Contract[]): void {
    for (const contract of contracts) {
      this.#handle(contract, () => Promise.reject(new ApiError('engine_error')));
    }
  }

  #handle({ subject }: Contract, handler: Handler): () => void {
    const known = this.#answers.get(subject);
    const answers = known ?? { handlers: [], subscription: this.#subscribe(subject) };
    this.#answers.set(subject, answers);
    answers.handlers.push(handler);
    return () => {
      answers.handlers.splice(answers.handlers.indexOf(handler), 1);
      if (answers.handlers.length === 0) {
        answers.subscription.unsubscribe();
        this.#answers.delete(subject);
      }
    };
  }

  #subscribe(subject: string): Subscription {
    return this.connection.subscribe(subject, {
      callback: (_error, message) => {
        const reporting = setInterval(() => message.respond(undefined, { headers: progress }), progressMs);
        void (async () => {
          try {
            const handler = this.#answers.get(subject)?.handlers.at(-1);
            message.respond(JSON.stringify(await handler?.(message.json())));
          } catch (error) {
            const apiError =
              error instanceof ApiError ? error : new ApiError('internal_error', { cause: error });
            const headers = natsHeaders();
            headers.set('Nats-Service-Error', apiError.code);
            headers.set('Nats-Service-Error-Code', String(apiError.status));
            message.respond(JSON.stringify({ code: apiError.code, details: apiError.details }), { headers });
          } finally {
            clearInterval(reporting);
          }
        })();
      },
    });
  }

  /** Publishes an event to its stream, as the relay of its owner would. */
  async publish<E extends EventContract>(
    event: E,
    documentId: string,
    body: EventOf<E>,
    messageId: string = randomUUID(),
  ): Promise<void> {
    const checked = compile(event.body)(body);
    if (!checked.ok) {
      throw new Error(`${event.subject}: ${JSON.stringify(checked.errors)}`);
    }
    await jetstream(this.connection).publish(eventSubject(event, documentId), JSON.stringify(body), {
      msgID: messageId,
      timeout: answerTimeoutMs,
    });
  }

  /** Collects an event's bodies as they are published from now on; a publication that is repeated counts once, as in the stream. */
  collect<E extends EventContract>(event: E): EventOf<E>[] {
    const seen: EventOf<E>[] = [];
    const ids = new Set<string>();
    this.connection.subscribe(`${event.subject}.*`, {
      callback: (_error, message) => {
        const id = message.headers?.get('Nats-Msg-Id') ?? '';
        if (id === '' || !ids.has(id)) {
          ids.add(id);
          seen.push(message.json());
        }
      },
    });
    return seen;
  }

  /** The streams and consumers of the server. */
  streamManager(): Promise<JetStreamManager> {
    return streamManagerOf(this.connection);
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
