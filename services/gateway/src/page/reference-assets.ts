import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { describeInterface } from '../openapi/describe-interface.js';
import { type DocsAsset, docsAsset } from './docs-asset.js';
import { referenceScript } from './reference-script.js';
import { rendererFile, rendererLicenseFile } from './renderer-files.js';

/** The files of the reference page. There are no others. */
export interface ReferenceFiles {
  readonly renderer: DocsAsset;
  readonly script: DocsAsset;
  readonly description: DocsAsset;
  readonly license: DocsAsset;
}

const javascript = 'text/javascript; charset=utf-8';

/** Reads and packs the files of the reference page once, when the first visitor comes. */
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
      JSON.stringify(describeInterface(this.config)),
    );
    const [renderer, script, license] = await Promise.all([
      readFile(rendererFile, 'utf8').then((text) => docsAsset('redoc.js', javascript, text)),
      docsAsset('reference.js', javascript, referenceScript(description.name)),
      readFile(rendererLicenseFile, 'utf8').then((text) =>
        docsAsset('redoc-license.txt', 'text/plain; charset=utf-8', text),
      ),
    ]);
    return { renderer, script, description, license };
  }
}
