import { getArtifact, getDocument } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import { ConsolePage, type PageReply } from '../http/console-page.js';
import { downloadHeaders } from '../http/page-headers.js';
import type { MemberVisit } from '../http/visit.js';

/** A signed PDF of a document: the latest, or the revision that the query names. */
@ConsolePage({ method: 'GET', path: '/documents/:id/pdf', access: 'reader', books: true })
export class ServePdf {
  constructor(private readonly rpc: RpcClient) {}

  async handle({ bookId, params, query }: MemberVisit): Promise<PageReply> {
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const revision = Number(query.get('revision'));
    const { document } = await this.rpc.call(getDocument, key);
    const artifact = await this.rpc.call(getArtifact, {
      ...key,
      ...(Number.isSafeInteger(revision) && revision > 0 && { revision }),
    });
    const name = `${document.type}-${document.number}-${artifact.revision}.pdf`;
    return {
      kind: 'file',
      headers: {
        ...downloadHeaders,
        'content-type': 'application/pdf',
        'content-disposition': `inline; filename="${name}"`,
      },
      body: Buffer.from(artifact.pdf, 'base64'),
    };
  }
}
