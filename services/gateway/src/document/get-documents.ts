import {
  type DocumentPage,
  type DocumentQuery,
  type Fault,
  getDocuments,
  listDocuments,
} from '@pinkas/contracts';
import { InjectConfig, Peers } from '@pinkas/service-kit';
import type { KeyHolder } from '../api-key/api-key.repository.js';
import type { GatewayConfig } from '../config.js';
import { type Call, type Filled, HttpRoute, type Reply } from '../http/http-route.js';
import { deriveCursorKey, readCursor, writeCursor } from './cursor.js';
import { type Addresses, presentCreated } from './present-document.js';

/** The documents of the business, the one that was issued last first, a page at a time. */
@HttpRoute(getDocuments)
export class GetDocuments {
  readonly #cursorKey: Buffer;

  constructor(
    private readonly peers: Peers,
    @InjectConfig() private readonly config: Addresses & Pick<GatewayConfig, 'apiKeyPepper'>,
  ) {
    this.#cursorKey = deriveCursorKey(config.apiKeyPepper);
  }

  /** Whether a cursor is ours depends on who sends it, which no schema can say. */
  queryFaults({ cursor }: Readonly<Record<string, unknown>>, { business }: KeyHolder): Fault[] {
    return typeof cursor === 'string' && !readCursor(this.#cursorKey, business.id, cursor)
      ? [{ path: '/cursor', message: 'must be the next_cursor of a page of this business' }]
      : [];
  }

  async handle({
    caller,
    query,
  }: Call<unknown, Filled<DocumentQuery, 'limit' | 'include_cancelled'>>): Promise<Reply<DocumentPage>> {
    const { business } = caller;
    const { cursor, ...filters } = query;
    const page = await this.peers.ask(listDocuments, {
      business_id: business.id,
      ...filters,
      before: cursor === undefined ? null : (readCursor(this.#cursorKey, business.id, cursor) ?? null),
    });
    const next = page.next_before;
    return {
      body: {
        data: page.documents.map((one) => presentCreated(one, this.config)),
        next_cursor: next && writeCursor(this.#cursorKey, business.id, next),
      },
    };
  }
}
