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
import { ListCursors } from './cursor.js';

/** The documents of the business, the one that was committed last first, one page at a time. */
@HttpRoute(getDocuments)
export class GetDocuments {
  readonly #cursors: ListCursors;

  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig()
    private readonly config: PublicUrls & Pick<GatewayConfig, 'apiKeyPepper' | 'previousApiKeyPepper'>,
  ) {
    this.#cursors = new ListCursors(config, 'documents');
  }

  queryErrors(query: Readonly<Record<string, unknown>>, { business }: Principal): ValidationError[] {
    return this.#cursors.errors(business.id, query);
  }

  async handle({
    principal,
    query,
  }: RouteRequest<unknown, Filled<DocumentQuery, 'limit' | 'include_cancelled'>>): Promise<
    RouteReply<DocumentPage>
  > {
    const { business } = principal;
    const { cursor: _cursor, ...filters } = query;
    const page = await this.rpc.call(listDocuments, {
      business_id: business.id,
      ...filters,
      before: this.#cursors.read(business.id, query) ?? null,
    });
    const next = page.next_before;
    return {
      body: {
        data: page.documents.map((document) => toCreatedDocument(document, this.config)),
        next_cursor: next === null ? null : this.#cursors.write(business.id, query, next),
      },
    };
  }
}
