import {
  type BusinessChange,
  prefixPaths,
  type ReplyOf,
  storeLogo,
  type ValidationError,
} from '@pinkas/contracts';
import { ApiError, type RpcClient, toApiError } from '@pinkas/service-kit';
import type { SettingsChange } from './business-settings.js';

/**
 * Has rendering store the logo of a change and replaces it by its reference. A logo stored for a change that fails afterwards
 * does no harm: nothing refers to it.
 * @param path of the change in the request.
 * @throws ApiError `validation_error` when the logo is invalid.
 */
export async function storeChangedLogo(
  rpc: RpcClient,
  businessId: string,
  { logo, ...change }: BusinessChange,
  path: string,
): Promise<SettingsChange> {
  if (logo === undefined) {
    return change;
  }
  if (logo === null) {
    return { ...change, logo };
  }
  const stored: ReplyOf<typeof storeLogo> = await rpc
    .call(storeLogo, { business_id: businessId, logo })
    .catch((error: unknown) => {
      const { code, details } = toApiError(error);
      if (code !== 'validation_error') {
        throw error;
      }
      throw ApiError.invalid(prefixPaths(path, (details?.errors ?? []) as ValidationError[]));
    });
  return { ...change, logo: stored };
}
