import type { Call } from '@pinkas/contracts';
import { type MessagingService, messaging, messagingServices } from '@pinkas/contracts';

const pageSize = 500;
const none: ReadonlySet<MessagingService> = new Set();

/** The services with dead-lettered work, by document: what `pinkas queue dead` shows. */
export class DeadLetteredWork {
  readonly #byDocument = new Map<string, Set<MessagingService>>();

  /** Lists the dead letters of every service. */
  static async read(call: Call): Promise<DeadLetteredWork> {
    const work = new DeadLetteredWork();
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

  /** The services with dead-lettered work on a document. */
  of(documentId: string): ReadonlySet<MessagingService> {
    return this.#byDocument.get(documentId) ?? none;
  }

  #add(documentId: string, service: MessagingService): void {
    const services = this.#byDocument.get(documentId) ?? new Set();
    this.#byDocument.set(documentId, services.add(service));
  }
}
