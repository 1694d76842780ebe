import { describe, expect, it } from '@jest/globals';
import { addParagraphs } from './paragraphs.js';
import type { Elements, StructureElement } from './structure-tree.js';

describe('addParagraphs', () => {
  /** @param written an element in each line, indented below the one that it is in; `*`: it has content. */
  const typesOf = (written: string) => {
    const all: Elements = new Map();
    const above: number[] = [0];
    for (const [index, line] of written.trim().split('\n').entries()) {
      const [, indent = '', type = '', content] = /^( *)(\w+)( \*)?$/.exec(line) ?? [];
      const number = index + 1;
      above.length = indent.length + 1;
      const parent = above.at(-1) ?? 0;
      above.push(number);
      const kids: StructureElement['kids'] = content ? [{ page: 1, mcid: number }] : [];
      all.set(number, { number, type, parent, page: 1, kids, entries: `/S /${type}` });
      all.get(parent)?.kids.push({ written: `${number} 0 R`, child: number });
    }
    addParagraphs(all);
    return [...all.values()].map(({ type, entries }) => {
      expect(entries).toBe(`/S /${type}`);
      return type;
    });
  };

  it('addParagraphs makes paragraphs of a term and its description in an article, and none of what groups them', () => {
    const written = `
Art
 NonStruct *
  NonStruct
   NonStruct *
  NonStruct
   NonStruct *
   Strong
    NonStruct *
  P
   NonStruct *`;
    expect(typesOf(written)).toEqual(
      'Art NonStruct P NonStruct P NonStruct Strong NonStruct P NonStruct'.split(' '),
    );
  });

  it('addParagraphs leaves a part of a paragraph or of a cell as it is', () => {
    const written = `
Art
 P
  NonStruct
   NonStruct *
 Table
  TR
   TD
    NonStruct
     NonStruct *`;
    expect(typesOf(written)).toEqual('Art P NonStruct NonStruct Table TR TD NonStruct NonStruct'.split(' '));
  });
});
