import { Controller } from '@nestjs/common';
import {
  invitePerson,
  listPeople,
  type ReplyOf,
  type RequestOf,
  removePerson,
  showBusiness,
} from '@pinkas/contracts';
import { normaliseEmailAddress, pastedEmail } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase, Operation, RpcClient } from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import { listMembers } from './member.repository.js';
import { Members } from './members.js';

/** Who may use the console for a business, for an operator. */
@Controller()
export class PeopleOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    private readonly members: Members,
    private readonly rpc: RpcClient,
  ) {}

  /** Lists everybody who may use the console for a business. */
  @Operation(listPeople)
  async list({ business_id }: RequestOf<typeof listPeople>): Promise<ReplyOf<typeof listPeople>> {
    return { people: await listMembers(forTenant(this.db, business_id), business_id) };
  }

  /** Lets a person use the console for a business, for an operator. */
  @Operation(invitePerson)
  async invite(request: RequestOf<typeof invitePerson>): Promise<ReplyOf<typeof invitePerson>> {
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

  /** Takes a business away from a person, for an operator; also from its last owner. */
  @Operation(removePerson)
  async remove(request: RequestOf<typeof removePerson>): Promise<ReplyOf<typeof removePerson>> {
    const email = normaliseEmailAddress(pastedEmail(request.email)) ?? request.email;
    return this.members.remove(request.business_id.toLowerCase(), { email }, undefined);
  }
}
