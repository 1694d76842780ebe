import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fixedPage } from '../http/http-page.js';
import { fileHeaders } from '../http/page-headers.js';

/** A package of the version that runs here, as the build leaves it. The path is the same seen from the sources and from what was built. */
const servePackage = (file: string) =>
  fixedPage(
    ({ baseUrl }) => new URL(baseUrl).origin,
    `/${file}`,
    async () => {
      const body = await readFile(new URL(`../../dist/${file}`, import.meta.url));
      const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
      return { status: 200, headers: { ...fileHeaders('application/gzip'), etag }, body };
    },
  );

/** What npm and Composer install: the client with its command that follows events, the client for PHP, and the server for agents. */
export const servePackages = ['client.tgz', 'client-php.tgz', 'mcp.tgz'].map(servePackage);
