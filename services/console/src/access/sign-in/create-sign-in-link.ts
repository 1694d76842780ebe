import { Controller } from '@nestjs/common';
import { createSignInLink, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { normaliseEmailAddress, pastedEmail } from '@pinkas/domain';
import {
  ApiError,
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { insertLink } from './sign-in.repository.js';

/** Makes a link for an operator who hands it over. No browser asked for it: its page asks for a confirming click. */
@Controller()
export class CreateSignInLink {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'consoleUrl'>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @Operation(createSignInLink)
  async handle({ email }: RequestOf<typeof createSignInLink>): Promise<ReplyOf<typeof createSignInLink>> {
    const all = acrossTenants(this.db);
    const person = await all
      .selectFrom('person')
      .select('id')
      .where('email', '=', normaliseEmailAddress(pastedEmail(email)) ?? email)
      .executeTakeFirst();
    if (!person) {
      throw new ApiError('not_found');
    }
    const { token, expiresAt } = await insertLink(
      all,
      { person_id: person.id, notice_id: null, browser_hash: null, next_path: '/', business_id: null },
      this.clock.now(),
    );
    return {
      url: `${this.config.consoleUrl}/sign-in/link/${token}`,
      expires_at: expiresAt.toISOString(),
    };
  }
}
