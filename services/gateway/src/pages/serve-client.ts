import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { matchesEntityTag } from '../http/entity-tag.js';
import { HttpPage, type PageReply, type PageRequest } from '../http/http-page.js';
import { packageHeaders } from '../http/page-headers.js';

/** Where the build leaves the packed client. The path is the same seen from the sources and from what was built of them. */
const packedClient = new URL('../../dist/client.tgz', import.meta.url);

/** The client as npm installs it, of the version that runs here: `npm install https://HOST/client.tgz`. */
@HttpPage((config) => new URL(config.baseUrl).origin, '/client.tgz')
export class ServeClient {
  #file: Promise<{ bytes: Buffer; tag: string }> | undefined;

  async handle({ ifNoneMatch }: PageRequest): Promise<PageReply> {
    this.#file ??= readFile(packedClient).then((bytes) => ({
      bytes,
      tag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
    }));
    const { bytes, tag } = await this.#file;
    const headers = { ...packageHeaders, etag: tag };
    return matchesEntityTag(ifNoneMatch, tag)
      ? { status: 304, headers, body: '' }
      : { status: 200, headers, body: bytes };
  }
}
