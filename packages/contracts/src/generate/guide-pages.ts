import { readdirSync, readFileSync } from 'node:fs';

/** The pages that a caller reads, and their names below the address of the documentation. The first one links the others. */
const pages = {
  guide: 'docs/for-developers.md',
  receivers: 'docs/receivers.md',
  typescript: 'packages/client/README.md',
  php: 'packages/client-php/README.md',
  'from-woocommerce': 'docs/from-woocommerce.md',
  python: 'docs/python.md',
  agents: 'packages/mcp/README.md',
} as const;

/** The programs that the pages link, each at `examples/` and its own name. */
const examples = ['packages/client/examples', 'packages/client-php/examples'] as const;

const root = new URL('../../../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

/** These pages, and the examples, for the gateway, which serves them without a file of the repository; by lines, so that a change can be read. */
export function guidePages(): string {
  const programs = examples.flatMap((folder) =>
    readdirSync(new URL(folder, root))
      .sort()
      .map((name) => [`examples/${name}`, `${folder}/${name}`] as const),
  );
  const entries = [...Object.entries(pages), ...programs].map(([name, file]) => ({
    name,
    file,
    lines: read(file).split('\n'),
  }));
  return `${JSON.stringify(entries, null, 2)}\n`;
}
