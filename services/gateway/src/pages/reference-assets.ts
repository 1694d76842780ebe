import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { openApiDocument } from '@pinkas/contracts/openapi';
import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { type DocsAsset, docsAsset } from './docs-asset.js';
import { redocFile, redocLicenseFile } from './redoc-files.js';
import { referenceScript } from './reference-script.js';

/** The files of the reference page. */
export interface ReferenceFiles {
  readonly redoc: DocsAsset;
  readonly script: DocsAsset;
  readonly description: DocsAsset;
  readonly license: DocsAsset;
}

const javascript = 'text/javascript; charset=utf-8';

/** Reads and compresses the files of the reference page once, at the first visit. */
@Injectable()
export class ReferenceAssets {
  #files: Promise<ReferenceFiles> | undefined;

  constructor(@InjectConfig() private readonly config: GatewayConfig) {}

  /** @throws when the gateway was not built. */
  files(): Promise<ReferenceFiles> {
    this.#files ??= this.#read().catch((error: unknown) => {
      this.#files = undefined;
      throw error;
    });
    return this.#files;
  }

  async #read(): Promise<ReferenceFiles> {
    const description = await docsAsset(
      'openapi.json',
      'application/json; charset=utf-8',
      JSON.stringify(openApiDocument(this.config)),
    );
    const [redoc, script, license] = await Promise.all([
      readFile(redocFile, 'utf8').then((text) => docsAsset('redoc.js', javascript, text)),
      docsAsset('reference.js', javascript, referenceScript(description.name)),
      readFile(redocLicenseFile, 'utf8').then((text) =>
        docsAsset('redoc-license.txt', 'text/plain; charset=utf-8', text),
      ),
    ]);
    return { redoc, script, description, license };
  }
}
