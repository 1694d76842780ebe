import { invitePerson, type ReplyOf, type RequestOf, showBusiness } from '@pinkas/contracts';
import { Operation, RpcClient } from '@pinkas/service-kit';
import { Members } from './members.js';

/** Lets a person use the console for a business, for an operator. */
@Operation(invitePerson)
export class InvitePerson {
  constructor(
    private readonly members: Members,
    private readonly rpc: RpcClient,
  ) {}

  async handle(request: RequestOf<typeof invitePerson>): Promise<ReplyOf<typeof invitePerson>> {
    const businessId = request.business_id.toLowerCase();
    // A test book is no business.
    await this.rpc.call(showBusiness, { business_id: businessId });
    const { member } = await this.members.invite({
      businessId,
      email: request.email,
      role: request.role,
      language: 'he',
      personId: undefined,
    });
    return member;
  }
}
