import { listPeople, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { ConsoleTables } from '../db/console.tables.js';
import { listMembers } from './member.repository.js';

/** Lists everybody who may use the console for a business. */
@Operation(listPeople)
export class ListPeople {
  constructor(@InjectDatabase() private readonly db: Database<ConsoleTables>) {}

  async handle({ business_id }: RequestOf<typeof listPeople>): Promise<ReplyOf<typeof listPeople>> {
    return { people: await listMembers(forTenant(this.db, business_id), business_id) };
  }
}
