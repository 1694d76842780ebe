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
  DocumentPreview,
  DocumentQuery,
  DocumentTypeEntry,
  ErrorCatalogueEntry,
  EventPage,
  EventQuery,
  IssuedDocument,
  LoggedRequest,
  PinkasEvent,
  Profile,
} from './types.js';

/**
 * The HTTP API as methods, one for each operation. Each returns the body, and throws {@link PinkasError} for an error
 * response and `PinkasConnectionError` without a response, after the last attempt that its bounds allow.
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

  /** Every error code of the API. */
  listErrors(options: CallOptions = {}): Promise<{ data: ErrorCatalogueEntry[] }> {
    return this.#get('/errors', options, false);
  }

  /** The OpenAPI document. */
  getOpenApi(options: CallOptions = {}): Promise<{ openapi: string; [member: string]: unknown }> {
    return this.#get('/openapi.json', options, false);
  }

  /**
   * Issues a document, once: every attempt of this call has the same key.
   * @throws PinkasError, PinkasConnectionError; both carry the key that was used.
   */
  async createDocument(body: CreateDocument, options: CreateOptions = {}): Promise<CreateResult> {
    const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
    const { body: document, response } = await this.#call<IssuedDocument>({
      ...callFacts(options),
      method: 'POST',
      path: '/documents',
      body,
      idempotencyKey,
    });
    return { document, replayed: response.replayed, idempotencyKey, response };
  }

  /**
   * What a document would be: the checks of `createDocument`, and nothing is issued.
   * @throws PinkasError with the code that `createDocument` would have.
   */
  async previewDocument(body: CreateDocument, options: CallOptions = {}): Promise<DocumentPreview> {
    const { body: preview } = await this.#call<DocumentPreview>({
      ...callFacts(options),
      method: 'POST',
      path: '/documents/preview',
      changes: false,
      body,
    });
    return preview;
  }

  /** One document with its lines and payments. */
  getDocument(id: string, options: CallOptions = {}): Promise<DocumentDetail> {
    return this.#get(`/documents/${encodeURIComponent(id)}`, options);
  }

  /**
   * Cancels a quote, an order, a delivery note, a return note or a proforma. If an earlier attempt of this call
   * got no response, a document that is cancelled now counts as cancelled by it.
   */
  async cancelDocument(id: string, options: CancelDocument & CallOptions = {}): Promise<Document> {
    const path = `/documents/${encodeURIComponent(id)}`;
    const outcome: Outcome<Document> = await this.#transport.send({
      ...callFacts(options),
      method: 'POST',
      path: `${path}/cancel`,
      ...(options.reason === undefined ? {} : { body: { reason: options.reason } }),
    });
    if (outcome.ok) {
      return outcome.answer.body;
    }
    const { error } = outcome;
    if (!(error instanceof PinkasError && error.is('already_cancelled') && error.outcomeUnknown)) {
      throw error;
    }
    const found: Outcome<DocumentDetail> = await this.#transport.send({
      ...callFacts(options),
      method: 'GET',
      path,
      totalMs: lookMaxMs,
      outcomeUnknown: true,
    });
    if (found.ok) {
      return found.answer.body;
    }
    // A key may write and not read; then what is known is that the document is cancelled.
    throw found.error.name === 'AbortError' ? found.error : error;
  }

  /** One page of the documents, newest first. */
  listDocuments(query: DocumentQuery = {}, options: CallOptions = {}): Promise<DocumentPage> {
    return this.#get(`/documents${queryOf(query)}`, options);
  }

  /** All pages of the documents, newest first, each fetched when it is needed. */
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

  /** All documents that match, newest first; pages are fetched as they are needed. */
  async *documents(
    query: DocumentQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<CreatedDocument, void> {
    for await (const page of this.documentPages(query, options)) {
      yield* page.data;
    }
  }

  /** One page of the events, oldest first. Its `next_cursor` is where to go on, also behind the last one. */
  listEvents(query: EventQuery = {}, options: CallOptions = {}): Promise<EventPage> {
    return this.#get(`/events${queryOf(query)}`, options);
  }

  /** One event. */
  getEvent(id: string, options: CallOptions = {}): Promise<PinkasEvent> {
    return this.#get(`/events/${encodeURIComponent(id)}`, options);
  }

  /**
   * The pages of events from a cursor on, oldest first, until there is nothing new. Store `next_cursor` when a page is handled, and
   * begin with it the next time: no event is missed, and none is seen twice.
   */
  async *eventPages(query: EventQuery = {}, options: CallOptions = {}): AsyncGenerator<EventPage, void> {
    for (let cursor = query.cursor; ; ) {
      const page = await this.listEvents({ ...query, ...(cursor !== undefined && { cursor }) }, options);
      if (page.data.length === 0) {
        return;
      }
      yield page;
      cursor = page.next_cursor;
    }
  }

  /** All events from a cursor on, oldest first; pages are fetched as they are needed. */
  async *events(query: EventQuery = {}, options: CallOptions = {}): AsyncGenerator<PinkasEvent, void> {
    for await (const page of this.eventPages(query, options)) {
      yield* page.data;
    }
  }

  /** A request of this key by its id (`response.requestId`), as it was answered; a refused one with its body, masked. */
  getRequest(id: string, options: CallOptions = {}): Promise<LoggedRequest> {
    return this.#get(`/requests/${encodeURIComponent(id)}`, options);
  }

  /** The customers whose name contains `q`, or whose tax id it is. */
  searchCustomers(query: CustomerQuery = {}, options: CallOptions = {}): Promise<CustomerList> {
    return this.#get(`/customers${queryOf(query)}`, options);
  }

  async #get<Body>(path: string, options: CallOptions, withKey = true): Promise<Body> {
    const { body } = await this.#call<Body>({ ...callFacts(options), method: 'GET', path, withKey });
    return body;
  }

  async #call<Body>(request: Request): Promise<Answer<Body>> {
    const outcome: Outcome<Body> = await this.#transport.send(request);
    if (!outcome.ok) {
      throw outcome.error;
    }
    return outcome.answer;
  }
}

/** The time to look at a document that is cancelled already: its own, since the attempts to cancel it may have used up theirs. */
const lookMaxMs = 5000;

const callFacts = ({ signal, timeoutMs }: CallOptions) => ({ signal, timeoutMs, withKey: true });

function queryOf(query: DocumentQuery | CustomerQuery | EventQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    // A list is a parameter that is repeated.
    for (const item of Array.isArray(value) ? value : [value]) {
      // A program, or a model, that has no value writes null.
      if (item !== undefined && item !== null) {
        parameters.append(name, String(item));
      }
    }
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}
