import {
  type DocumentPage,
  type DocumentQuery,
  getDocuments,
  listDocuments,
  type PublicUrls,
  toCreatedDocument,
  type ValidationError,
} from '@pinkas/contracts';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import type { Principal } from '../api-key/api-key.repository.js';
import type { GatewayConfig } from '../config.js';
import { type Filled, HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';
import { deriveCursorKey, readCursor, writeCursor } from './cursor.js';

/** The documents of the business, the one that was committed last first, one page at a time. */
@HttpRoute(getDocuments)
export class GetDocuments {
  readonly #cursorKey: Buffer;
  readonly #readCursor: (businessId: string, cursor: string) => number | undefined;

  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig()
    private readonly config: PublicUrls & Pick<GatewayConfig, 'apiKeyPepper' | 'previousApiKeyPepper'>,
  ) {
    this.#cursorKey = deriveCursorKey(config.apiKeyPepper);
    const { previousApiKeyPepper } = config;
    const previousKey = previousApiKeyPepper && deriveCursorKey(previousApiKeyPepper);
    this.#readCursor = (businessId, cursor) =>
      readCursor(this.#cursorKey, businessId, cursor) ??
      (previousKey ? readCursor(previousKey, businessId, cursor) : undefined);
  }

  /** A cursor is valid for one business, which no schema can express. */
  queryErrors({ cursor }: Readonly<Record<string, unknown>>, { business }: Principal): ValidationError[] {
    return typeof cursor === 'string' && !this.#readCursor(business.id, cursor)
      ? [{ path: '/cursor', message: 'must be the next_cursor of a page of this business' }]
      : [];
  }

  async handle({
    principal,
    query,
  }: RouteRequest<unknown, Filled<DocumentQuery, 'limit' | 'include_cancelled'>>): Promise<
    RouteReply<DocumentPage>
  > {
    const { business } = principal;
    const { cursor, ...filters } = query;
    const page = await this.rpc.call(listDocuments, {
      business_id: business.id,
      ...filters,
      before: cursor === undefined ? null : (this.#readCursor(business.id, cursor) ?? null),
    });
    const next = page.next_before;
    return {
      body: {
        data: page.documents.map((document) => toCreatedDocument(document, this.config)),
        next_cursor: next === null ? null : writeCursor(this.#cursorKey, business.id, next),
      },
    };
  }
}
