import { type MessagingService, messaging, messagingServices } from '@pinkas/contracts';
import type { Ask } from '../command.js';

const pageSize = 500;
const nobody: ReadonlySet<MessagingService> = new Set();

/** The services that have given up a step, by document: what `pinkas queue dead` shows. */
export class ParkedSteps {
  readonly #byDocument = new Map<string, Set<MessagingService>>();

  /** Asks every service what it has given up. */
  static async read(ask: Ask): Promise<ParkedSteps> {
    const parked = new ParkedSteps();
    for (const service of messagingServices) {
      let after: string | null = null;
      do {
        const page: { dead_letters: { document_id: string }[]; next_after: string | null } = await ask(
          messaging[service].listDeadLetters,
          after === null ? { limit: pageSize } : { after, limit: pageSize },
        );
        for (const { document_id } of page.dead_letters) parked.#add(document_id, service);
        after = page.next_after;
      } while (after !== null);
    }
    return parked;
  }

  /** The services that have given up a step of a document. */
  of(documentId: string): ReadonlySet<MessagingService> {
    return this.#byDocument.get(documentId) ?? nobody;
  }

  #add(documentId: string, service: MessagingService): void {
    const services = this.#byDocument.get(documentId) ?? new Set();
    this.#byDocument.set(documentId, services.add(service));
  }
}
