import type { CallOptions, CreateOptions, CreateResult, PinkasClientOptions } from './client-options.js';
import { PinkasError } from './pinkas-error.js';
import { type Answer, type Outcome, type Request, Transport } from './transport.js';
import type {
  CancelDocument,
  CreateDocument,
  CreatedDocument,
  CustomerList,
  CustomerQuery,
  Document,
  DocumentDetail,
  DocumentPage,
  DocumentQuery,
  DocumentTypeEntry,
  ErrorCatalogueEntry,
  Profile,
} from './types.js';

/**
 * The interface as methods, one for each operation. Each answers with the body, and throws {@link PinkasError} for a
 * refusal and `PinkasConnectionError` where no answer came, after it has tried again as often as its bounds allow.
 */
export class PinkasClient {
  readonly #transport: Transport;

  /** @throws TypeError or RangeError where an option makes no sense. */
  constructor(options: PinkasClientOptions) {
    this.#transport = new Transport(options);
  }

  /** The business of the key, its limits and the key itself. */
  getMe(options: CallOptions = {}): Promise<Profile> {
    return this.#get('/me', options);
  }

  /** The types of document that this business may issue. */
  listDocumentTypes(options: CallOptions = {}): Promise<{ data: DocumentTypeEntry[] }> {
    return this.#get('/document-types', options);
  }

  /** Every error code of the interface. */
  listErrors(options: CallOptions = {}): Promise<{ data: ErrorCatalogueEntry[] }> {
    return this.#get('/errors', options, false);
  }

  /** The interface as an OpenAPI document. */
  getOpenApi(options: CallOptions = {}): Promise<{ openapi: string; [member: string]: unknown }> {
    return this.#get('/openapi.json', options, false);
  }

  /**
   * Issues a document, once: every try of this call carries the same key.
   * @throws PinkasError, PinkasConnectionError; both carry the key that was used.
   */
  async createDocument(body: CreateDocument, options: CreateOptions = {}): Promise<CreateResult> {
    const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
    const { body: document, response } = await this.#ask<CreatedDocument>({
      ...asked(options),
      method: 'POST',
      path: '/documents',
      body,
      idempotencyKey,
    });
    return { document, replayed: response.replayed, idempotencyKey, response };
  }

  /** One document with its lines and payments. */
  getDocument(id: string, options: CallOptions = {}): Promise<DocumentDetail> {
    return this.#get(`/documents/${encodeURIComponent(id)}`, options);
  }

  /**
   * Cancels a quote, an order, a delivery note, a return note or a proforma. Where an earlier try of this call was left
   * without an answer, a document that is cancelled by now counts as cancelled by it.
   */
  async cancelDocument(id: string, options: CancelDocument & CallOptions = {}): Promise<Document> {
    const path = `/documents/${encodeURIComponent(id)}`;
    const outcome: Outcome<Document> = await this.#transport.send({
      ...asked(options),
      method: 'POST',
      path: `${path}/cancel`,
      ...(options.reason === undefined ? {} : { body: { reason: options.reason } }),
    });
    if (outcome.ok) return outcome.answer.body;
    const { error } = outcome;
    if (!(error instanceof PinkasError && error.is('already_cancelled') && error.outcomeUnknown)) throw error;
    const found: Outcome<DocumentDetail> = await this.#transport.send({
      ...asked(options),
      method: 'GET',
      path,
      totalMs: lookMaxMs,
      outcomeUnknown: true,
    });
    if (found.ok) return found.answer.body;
    // A key may write and not read; then what is known is that the document is cancelled.
    throw found.error.name === 'AbortError' ? found.error : error;
  }

  /** One page of the documents, newest first. */
  listDocuments(query: DocumentQuery = {}, options: CallOptions = {}): Promise<DocumentPage> {
    return this.#get(`/documents${queryOf(query)}`, options);
  }

  /** All pages of the documents, newest first, each asked for when it is wanted. */
  async *documentPages(
    query: DocumentQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<DocumentPage, void> {
    let page = await this.listDocuments(query, options);
    yield page;
    while (page.next_cursor !== null) {
      page = await this.listDocuments({ ...query, cursor: page.next_cursor }, options);
      yield page;
    }
  }

  /** All documents that match, newest first; pages are asked for as they are wanted. */
  async *documents(
    query: DocumentQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<CreatedDocument, void> {
    for await (const page of this.documentPages(query, options)) yield* page.data;
  }

  /** The customers whose name contains `q`, or who bear it as tax id. */
  searchCustomers(query: CustomerQuery = {}, options: CallOptions = {}): Promise<CustomerList> {
    return this.#get(`/customers${queryOf(query)}`, options);
  }

  async #get<Body>(path: string, options: CallOptions, withKey = true): Promise<Body> {
    const { body } = await this.#ask<Body>({ ...asked(options), method: 'GET', path, withKey });
    return body;
  }

  async #ask<Body>(request: Request): Promise<Answer<Body>> {
    const outcome: Outcome<Body> = await this.#transport.send(request);
    if (!outcome.ok) throw outcome.error;
    return outcome.answer;
  }
}

/** The time to look at a document that is cancelled already: its own, since the tries to cancel it may have used up theirs. */
const lookMaxMs = 5000;

const asked = ({ signal, timeoutMs }: CallOptions) => ({ signal, timeoutMs, withKey: true });

function queryOf(query: DocumentQuery | CustomerQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}
