import type { Call } from '@pinkas/contracts';
import { type MessagingService, messaging, messagingServices } from '@pinkas/contracts';

const pageSize = 500;
const none: ReadonlySet<MessagingService> = new Set();

/** The services with dead-lettered work, by document: what `pinkas queue dead` shows. */
export class DeadLetteredWork {
  /** For who may not list them: work that waits is late then, whatever it waits for. */
  static readonly unknown = new DeadLetteredWork(null);
  readonly #byDocument = new Map<string, Set<MessagingService>>();

  private constructor(private readonly call: Call | null) {}

  /** Lists the dead letters of every service. */
  static async read(call: Call): Promise<DeadLetteredWork> {
    const work = new DeadLetteredWork(call);
    for (const service of messagingServices) {
      let after: string | null = null;
      do {
        const page: { dead_letters: { document_id: string }[]; next_after: string | null } = await call(
          messaging[service].listDeadLetters,
          after === null ? { limit: pageSize } : { after, limit: pageSize },
        );
        for (const { document_id } of page.dead_letters) {
          work.#add(document_id, service);
        }
        after = page.next_after;
      } while (after !== null);
    }
    return work;
  }

  /** As it is now. */
  async again(): Promise<DeadLetteredWork> {
    return this.call === null ? this : DeadLetteredWork.read(this.call);
  }

  /** The services with dead-lettered work on a document. */
  of(documentId: string): ReadonlySet<MessagingService> {
    return this.#byDocument.get(documentId) ?? none;
  }

  #add(documentId: string, service: MessagingService): void {
    const services = this.#byDocument.get(documentId) ?? new Set();
    this.#byDocument.set(documentId, services.add(service));
  }
}
