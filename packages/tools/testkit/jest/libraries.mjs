import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The libraries that Jest loads as bundles (ADR 0028). Jest loads every module again for each test file; these are 1,700 of the
 * 2,100 files of a service. A library that a CommonJS package requires cannot be here.
 */
export const bundledLibraries = [
  '@nats-io/jetstream',
  '@nats-io/nats-core',
  '@nats-io/transport-node',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/microservices',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  'kysely',
  'node-forge',
  'pg',
  'prom-client',
  'typebox',
  'typebox/compile',
  'typebox/format',
  'typebox/system',
  'typebox/value',
];

const fileNameOf = (library) => library.replace('@', '').replaceAll('/', '-');

/** Where the entry of a library's bundle is, below the test kit's dist. */
export const entryOf = (library) => `libraries/${fileNameOf(library)}.js`;

const bundleOf = (library) => fileURLToPath(new URL(`../dist/bundle/${entryOf(library)}`, import.meta.url));

/** Jest's `moduleNameMapper`: each library's own name, exactly. Without a build Jest loads the libraries as they are. */
export const libraryMapper = Object.fromEntries(
  bundledLibraries
    .map((library) => [`^${library}$`, bundleOf(library)])
    .filter(([, bundle]) => existsSync(bundle)),
);
