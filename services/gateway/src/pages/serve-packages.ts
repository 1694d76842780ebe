import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { GatewayConfig } from '../config.js';
import { matchesEntityTag } from '../http/entity-tag.js';
import { HttpPage, type PageReply, type PageRequest } from '../http/http-page.js';
import { packageHeaders } from '../http/page-headers.js';

const origin = ({ baseUrl }: GatewayConfig) => new URL(baseUrl).origin;

/** A package of the version that runs here, as npm installs it: `npm install https://HOST/client.tgz`. */
abstract class ServePackage {
  #file: Promise<{ bytes: Buffer; tag: string }> | undefined;

  /** @param file as the build leaves it. The path is the same seen from the sources and from what was built of them. */
  protected constructor(private readonly file: string) {}

  async handle({ ifNoneMatch }: PageRequest): Promise<PageReply> {
    this.#file ??= readFile(new URL(`../../dist/${this.file}`, import.meta.url)).then((bytes) => ({
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

/** The client, and its command that follows events. */
@HttpPage(origin, '/client.tgz')
export class ServeClient extends ServePackage {
  constructor() {
    super('client.tgz');
  }
}

/** The client for PHP with its examples: the folder that Composer links. */
@HttpPage(origin, '/client-php.tgz')
export class ServePhpClient extends ServePackage {
  constructor() {
    super('client-php.tgz');
  }
}

/** The server for agents. */
@HttpPage(origin, '/mcp.tgz')
export class ServeMcp extends ServePackage {
  constructor() {
    super('mcp.tgz');
  }
}
