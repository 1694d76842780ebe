import { type ReplyOf, type RequestOf, removePerson } from '@pinkas/contracts';
import { normaliseEmailAddress, pastedEmail } from '@pinkas/domain';
import { Operation } from '@pinkas/service-kit';
import { Members } from './members.js';

/** Takes a business away from a person, for an operator; also from its last owner. */
@Operation(removePerson)
export class RemovePerson {
  constructor(private readonly members: Members) {}

  async handle(request: RequestOf<typeof removePerson>): Promise<ReplyOf<typeof removePerson>> {
    const email = normaliseEmailAddress(pastedEmail(request.email)) ?? request.email;
    return this.members.remove(request.business_id.toLowerCase(), { email }, undefined);
  }
}
