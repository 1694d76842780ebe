import { getLogo, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, Operation } from '@pinkas/service-kit';
import { LogoStore } from './logo.repository.js';

/** A stored logo, for a message that shows it. */
@Operation(getLogo)
export class GetLogo {
  constructor(private readonly logos: LogoStore) {}

  async handle({ business_id, logo }: RequestOf<typeof getLogo>): Promise<ReplyOf<typeof getLogo>> {
    const found = await this.logos.find(business_id, logo.sha256);
    if (found?.media_type !== 'image/png') {
      throw new ApiError('not_found');
    }
    return { png: found.bytes.toString('base64'), width: found.width, height: found.height };
  }
}
