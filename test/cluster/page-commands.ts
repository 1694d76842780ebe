import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../harness/sources.js';

/** The blocks of code of a page, as an operator would copy them. */
export class PageCommands {
  private constructor(
    private readonly path: string,
    private readonly text: string,
  ) {}

  /** @param path below the folder of the repository. */
  static async of(path: string): Promise<PageCommands> {
    return new PageCommands(path, await readFile(join(repositoryRoot, path), 'utf8'));
  }

  /**
   * A block below a heading.
   * @param language of the block: `sh` or `yaml`. @param index of several.
   * @param filled what the operator fills in, by the words of the page that it replaces.
   * @throws when the page has no such block, or not exactly one of the words: then the page and its caller differ.
   */
  block(heading: string, language: 'sh' | 'yaml', filled: Record<string, string> = {}, index = 0): string {
    const [, section] = `\n${this.text}`.split(new RegExp(`\\n##? ${heading}\\n`));
    const blocks = [...(section?.split('\n## ')[0] ?? '').matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm)];
    const [, indent = '', , indented] = blocks.filter(([, , of]) => of === language)[index] ?? [];
    // In a list it is indented.
    const block = indented?.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (block === undefined) {
      throw new Error(`${this.path} has no ${language} block ${index + 1} below '${heading}'`);
    }
    return Object.entries(filled).reduce((text, [words, value]) => {
      if (text.split(words).length !== 2) {
        throw new Error(`a block below '${heading}' of ${this.path} does not have '${words}' exactly once`);
      }
      return text.replace(words, () => value);
    }, block);
  }
}
