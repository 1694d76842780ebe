import { posix } from 'node:path';
import type { GatewayConfig } from '../config.js';
import allPages from './guide-pages.json' with { type: 'json' };

const isExample = ({ name }: { name: string }) => name.startsWith('examples/');
const guidePages = allPages.filter((page) => !isExample(page));
export const guideNames = guidePages.map(({ name }) => name);
/** The programs that the pages link; their names are paths below the address of the documentation. */
export const exampleFiles = allPages.filter(isExample);

type Addresses = Pick<GatewayConfig, 'baseUrl' | 'docsUrl'>;

/** A page of the guide with the addresses of this system, and links to its other pages. */
export interface GuidePage {
  /** Its path below the address of the documentation. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

/** The guide for developers, and the pages that it links. */
export function guideFor({ baseUrl, docsUrl }: Addresses): readonly GuidePage[] {
  const { origin } = new URL(baseUrl);
  const addressOf = (from: string, link: string) => {
    const file = posix.join(posix.dirname(from), link);
    const page = allPages.find((candidate) => candidate.file === file);
    return page && `${docsUrl}/${page.name}`;
  };
  return guidePages.map(({ name, file, lines }) => ({
    name,
    title: lines[0]?.replace(/^# /, '') ?? name,
    text: lines
      .join('\n')
      .replaceAll('$BASE_URL', baseUrl)
      .replaceAll('$ORIGIN', origin)
      .replaceAll('https://api.example.com/v1', baseUrl)
      .replaceAll('https://api.example.com', origin)
      .replaceAll(/\]\(([^):#][^):]*)\)/g, (whole, link) => {
        const address = addressOf(file, link);
        return address === undefined ? whole : `](${address})`;
      }),
  }));
}
