import { InvalidLogoError, type StoredLogo, type UploadedLogo } from './logo.js';
import { rasterizeLogo } from './rasterize-logo.js';

/** What this process sends to `LogoRasterizer`, once. */
export type RasterizerReply = { readonly logo: StoredLogo } | { readonly invalid: string };

async function reply(upload: UploadedLogo): Promise<RasterizerReply> {
  try {
    return { logo: await rasterizeLogo({ ...upload, bytes: Buffer.from(upload.bytes) }) };
  } catch (error) {
    if (error instanceof InvalidLogoError) {
      return { invalid: error.message };
    }
    throw error;
  }
}

process.once('message', async (upload: UploadedLogo) => {
  const result = await reply(upload);
  process.send?.(result, () => process.kill(process.pid, 'SIGKILL'));
});
// A drawing in progress would hold a usual exit back until it ends.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
