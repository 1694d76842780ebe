import { type ReplyOf, type RequestOf, storeLogo } from '@pinkas/contracts';
import { ApiError, Operation } from '@pinkas/service-kit';
import { InvalidLogoError, parseLogoUrl } from './logo.js';
import { LogoStore } from './logo.repository.js';
import { LogoRasterizer } from './logo-rasterizer.js';

/** Draws an uploaded logo into pixels and stores those. */
@Operation(storeLogo)
export class StoreLogo {
  constructor(
    private readonly rasterizer: LogoRasterizer,
    private readonly logos: LogoStore,
  ) {}

  async handle({
    business_id: businessId,
    logo,
    preview = false,
  }: RequestOf<typeof storeLogo>): Promise<ReplyOf<typeof storeLogo>> {
    try {
      const stored = await this.rasterizer.rasterize(businessId, parseLogoUrl(logo));
      return { sha256: await this.logos.store(businessId, stored, preview) };
    } catch (error) {
      if (error instanceof InvalidLogoError) {
        throw ApiError.invalid([{ path: '/logo', message: error.message }]);
      }
      throw error;
    }
  }
}
