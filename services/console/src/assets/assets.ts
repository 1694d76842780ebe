import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { assetFolder } from './asset-files.js';

/** A file that pages load; its address changes with its content. */
export interface Asset {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const fontNames = ['heebo-400.woff2', 'heebo-700.woff2'] as const;

function assetOf(name: string, mediaType: string, bytes: Buffer): Asset {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { path: `/assets/${name.replace('.', `-${hash}.`)}`, mediaType, bytes };
}

interface Assets {
  readonly icon: Asset;
  readonly style: Asset;
  readonly script: Asset;
  readonly signInScript: Asset;
  readonly fonts: readonly Asset[];
}

let loaded: Assets | undefined;

/** The style and the script of every page, read once. */
export function pageAssets(): Assets {
  loaded ??= load();
  return loaded;
}

/** The script of the pages on which a person signs in or manages passkeys. */
export function signInScript(): Asset {
  return pageAssets().signInScript;
}

/** Everything that is served below `/assets`. */
export function assets(): Asset[] {
  const { icon, style, script, signInScript, fonts } = pageAssets();
  return [icon, style, script, signInScript, ...fonts];
}

function load(): Assets {
  const read = (name: string) => readFileSync(new URL(name, assetFolder));
  const fonts = fontNames.map((name) => assetOf(name, 'font/woff2', read(name)));
  const faces = fonts.map(
    ({ path }, index) =>
      `@font-face{font-family:Heebo;font-weight:${index === 0 ? 400 : 700};font-display:swap;src:url(${path})format("woff2")}`,
  );
  const style = Buffer.from(`${faces.join('')}\n${read('console.css').toString()}`);
  return {
    icon: assetOf('icon.svg', 'image/svg+xml', read('icon.svg')),
    style: assetOf('console.css', 'text/css; charset=utf-8', style),
    script: assetOf('console.js', 'text/javascript; charset=utf-8', read('console.js')),
    signInScript: assetOf('sign-in.js', 'text/javascript; charset=utf-8', read('sign-in.js')),
    fonts,
  };
}
