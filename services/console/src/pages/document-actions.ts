import {
  isUuid,
  resendDelivery,
  retryAllocation,
  sendMessage,
  timeLimitsMs,
  unsuppressAddress,
} from '@pinkas/contracts';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import { readField } from '@pinkas/ui';
import { ConsolePage, type PageReply, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { ShowDocument } from './show-document.js';

/** Where a button was pressed: back to there. */
function backTo(visit: MemberVisit, done: string): PageReply {
  return visit.form.get('back') === 'today'
    ? redirect(visit.link(''), { outcome: done })
    : redirect(visit.link(`/documents/${visit.params.id}`), { outcome: done });
}

const keyOf = ({ bookId, params, session }: MemberVisit) => ({
  business_id: bookId,
  document_id: params.id ?? '',
  person_id: session.personId,
});

/** Requests the allocation number of a document now. */
@ConsolePage({
  method: 'POST',
  path: '/documents/:id/allocation',
  access: 'issuer',
  changes: 'book',
  books: true,
  timeoutMs: timeLimitsMs.operatorCall,
})
export class RetryAllocationNow {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { outcome } = await this.rpc.call(retryAllocation, keyOf(visit));
    return backTo(visit, outcome);
  }
}

/** Sends the failed messages of a document again. */
@ConsolePage({
  method: 'POST',
  path: '/documents/:id/resend',
  access: 'issuer',
  changes: 'book',
  books: true,
})
export class ResendMessages {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { resent, suppressed } = await this.rpc.call(resendDelivery, keyOf(visit));
    if (suppressed > 0) {
      // Where another address can be typed.
      const outcome = resent > 0 ? 'partly_resent' : 'suppressed';
      return redirect(visit.link(`/documents/${visit.params.id}`), { outcome });
    }
    return backTo(visit, resent > 0 ? 'resent' : 'nothing');
  }
}

/** Sends a document to an address; a form that is sent twice sends it once. */
@ConsolePage({ method: 'POST', path: '/documents/:id/send', access: 'issuer', changes: 'book', books: true })
export class SendDocument {
  constructor(
    private readonly rpc: RpcClient,
    private readonly document: ShowDocument,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { form, params } = visit;
    const id = form.get('delivery_id') ?? '';
    const channel = form.get('channel') === 'whatsapp' ? 'whatsapp' : 'email';
    const recipient = readField(form, 'recipient', channel === 'email' ? 'email' : 'phone');
    if (!isUuid(params.id ?? '')) {
      throw new ApiError('not_found');
    }
    try {
      if (!isUuid(id) || recipient === '') {
        throw new ApiError('validation_error');
      }
      await this.rpc.call(sendMessage, {
        ...keyOf(visit),
        delivery_id: id,
        channel,
        recipient,
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'validation_error') {
        return this.document.show(visit, { recipient, channel });
      }
      throw error;
    }
    return backTo(visit, 'sent');
  }
}

/** Allows messages to a suppressed address again. */
@ConsolePage({ method: 'POST', path: '/suppressions/remove', access: 'issuer', changes: 'book', books: true })
export class AllowAddress {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    await this.rpc.call(unsuppressAddress, {
      business_id: visit.bookId,
      address: visit.form.get('address') ?? '',
      person_id: visit.session.personId,
    });
    const document = visit.form.get('document') ?? '';
    return redirect(visit.link(isUuid(document) ? `/documents/${document}` : ''), { outcome: 'allowed' });
  }
}
