import { isUuid, unsuppressAddress } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import { ConsolePage, PageController, type PageReply, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';

/** The addresses that get no messages of a book. */
@PageController({ path: '/suppressions', access: 'issuer', books: true })
export class SuppressionPages {
  constructor(private readonly rpc: RpcClient) {}

  /** Allows messages to a suppressed address again. */
  @ConsolePage({ method: 'POST', path: '/remove', changes: 'book' })
  async allowAddress(visit: MemberVisit): Promise<PageReply> {
    await this.rpc.call(unsuppressAddress, {
      business_id: visit.bookId,
      address: visit.form.get('address') ?? '',
      person_id: visit.session.personId,
    });
    const document = visit.form.get('document') ?? '';
    return redirect(visit.link(isUuid(document) ? `/documents/${document}` : ''), { outcome: 'allowed' });
  }
}
