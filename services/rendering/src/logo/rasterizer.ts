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

/**
 * Of processor time, ten times what a usual drawing takes: a busy machine may let it wait as long as its caller does. The drawing
 * has a thread of its own, so that this one can look.
 */
const drawMs = 750;
const lookEveryMs = 50;

const finish = (result: RasterizerReply) =>
  process.send?.(result, () => process.kill(process.pid, 'SIGKILL'));

process.once('message', async (upload: UploadedLogo) => {
  const begun = process.cpuUsage();
  const looking = setInterval(() => {
    const { user, system } = process.cpuUsage(begun);
    if (user + system > drawMs * 1_000) {
      clearInterval(looking);
      finish({ invalid: 'takes too long to draw: it must be simpler' });
    }
  }, lookEveryMs);
  const result = await reply(upload);
  clearInterval(looking);
  finish(result);
});
// A drawing in progress would hold a usual exit back until it ends.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
