import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { acceptsGzip } from '@pinkas/service-kit/http';

const gzipAsync = promisify(gzip);
/** Less than this fits into one packet anyway. */
const smallestBytes = 1_024;
/** A page costs about a millisecond. */
const pageLevel = 5;

/**
 * The bytes for one client. A page may hold what a form sent beside a token (BREACH): the token is masked in another way in each response,
 * and a request from another site has no session (SameSite).
 */
export async function compressed(
  bytes: Buffer,
  acceptEncoding: string | undefined,
  level: number = pageLevel,
): Promise<{ body: Buffer; headers: Readonly<Record<string, string>> }> {
  const vary = { vary: 'accept-encoding' };
  return bytes.length < smallestBytes || !acceptsGzip(acceptEncoding)
    ? { body: bytes, headers: vary }
    : { body: await gzipAsync(bytes, { level }), headers: { ...vary, 'content-encoding': 'gzip' } };
}

/** For what is compressed once and sent often. */
export const bestLevel: number = constants.Z_BEST_COMPRESSION;
