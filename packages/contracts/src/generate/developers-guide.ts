import { readFileSync } from 'node:fs';

const guideFile = new URL('../../../../docs/for-developers.md', import.meta.url);

/** The guide for developers as a module of the gateway, which serves it without a file of the repository. */
export function developersGuide(): string {
  const text = readFileSync(guideFile, 'utf8').replaceAll(/[\\`]|\$(?=\{)/g, '\\$&');
  return `/** Written by \`npm run generate\` from docs/for-developers.md. */\nexport const developersGuide = \`\\\n${text}\`;\n`;
}
