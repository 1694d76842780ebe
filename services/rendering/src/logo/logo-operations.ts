import { Controller } from '@nestjs/common';
import { getLogo, type ReplyOf, type RequestOf, storeLogo } from '@pinkas/contracts';
import { ApiError, Operation, remainingMs } from '@pinkas/service-kit';
import { InvalidLogoError, parseLogoUrl } from './logo.js';
import { LogoStore } from './logo.repository.js';
import { LogoRasterizer } from './logo-rasterizer.js';

/** The logos of businesses. */
@Controller()
export class LogoOperations {
  constructor(
    private readonly logos: LogoStore,
    private readonly rasterizer: LogoRasterizer,
  ) {}

  /** A stored logo, for a message that shows it. */
  @Operation(getLogo)
  async get({ business_id, logo }: RequestOf<typeof getLogo>): Promise<ReplyOf<typeof getLogo>> {
    const found = await this.logos.find(business_id, logo.sha256);
    if (found?.media_type !== 'image/png') {
      throw new ApiError('not_found');
    }
    return { png: found.bytes.toString('base64'), width: found.width, height: found.height };
  }

  /** Draws an uploaded logo into pixels and stores those. */
  @Operation(storeLogo)
  async store({
    business_id: businessId,
    logo,
    preview = false,
  }: RequestOf<typeof storeLogo>): Promise<ReplyOf<typeof storeLogo>> {
    try {
      const deadline = AbortSignal.timeout(Math.max(1, Math.floor(remainingMs(storeLogo.timeoutMs))));
      const stored = await this.rasterizer.rasterize(businessId, parseLogoUrl(logo), deadline);
      return { sha256: await this.logos.store(businessId, stored, preview) };
    } catch (error) {
      if (error instanceof InvalidLogoError) {
        throw ApiError.invalid([{ path: '/logo', message: error.message }]);
      }
      throw error;
    }
  }
}
