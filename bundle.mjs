/**
 * Bundles the programs of a workspace after `compile.mjs`: `node ../../bundle.mjs dist/main.js dist/migrate.js`. Each becomes a line
 * that loads `dist/bundle/`, so that a process reads a few large files instead of two thousand small ones (ADR 0028).
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

const folder = 'dist/bundle';
/** Packages with native code or files of their own. They stay dependencies at run time. */
const unbundled = ['sharp', 'playwright-core', '@pinkas/simulators', '@modelcontextprotocol/sdk'];

/** What Nest and `pg` load only where it is installed, which it is not. A further one of theirs fails the build. */
const optional = [
  ...['@grpc/grpc-js', '@grpc/proto-loader', 'amqp-connection-manager', 'amqplib', 'kafkajs', 'mqtt'],
  ...['@nestjs/platform-express', '@nestjs/websockets', 'class-transformer', 'class-validator', 'pg-native'],
];

/** A map without a source: Node holds every mapping of a program in memory from the first stack trace that it shows. */
const emptyMap = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');
const withoutMaps = {
  name: 'third-party packages without source maps',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/node_modules\/.+\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${emptyMap}`,
      loader: 'js',
    }));
  },
};

const entries = process.argv.slice(2);
await rm(folder, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: entries,
  outdir: folder,
  outbase: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // Nest shows the names of classes, errors and logs those of constructors.
  keepNames: true,
  // A process reads and compiles a third less at its start.
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  sourcemap: true,
  sourcesContent: false,
  external: [...unbundled, ...optional],
  plugins: [withoutMaps],
  logLevel: 'warning',
  // CommonJS packages expect these.
  banner: {
    js: [
      "import { createRequire as bundleCreateRequire } from 'node:module';",
      "import { dirname as bundleDirname } from 'node:path';",
      "import { fileURLToPath as bundleFileUrlToPath } from 'node:url';",
      'const require = bundleCreateRequire(import.meta.url);',
      'const __filename = bundleFileUrlToPath(import.meta.url);',
      'const __dirname = bundleDirname(__filename);',
    ].join(''),
  },
});
// What an image has to install.
const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
const installed = unbundled.filter((name) =>
  imported.some((path) => path === name || path.startsWith(`${name}/`)),
);
await writeFile(join(folder, 'packages.json'), JSON.stringify(installed));
for (const entry of entries) {
  const bundled = join(folder, relative('dist', entry));
  await writeFile(entry, `export * from './${relative(join(entry, '..'), bundled)}';\n`);
  await rm(`${entry}.map`, { force: true });
}
