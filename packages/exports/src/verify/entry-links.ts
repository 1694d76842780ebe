import { type BookEntry } from '@pinkas/contracts';
import { documentTypeRules } from '@pinkas/domain';
import { type Finding, findingOf } from './checks.js';

/** Compares the source that a document names with the document that it is linked to. */
export function checkLinks({ document, source }: Pick<BookEntry, 'document' | 'source'>): Finding[] {
  const finding = (message: string) => findingOf('links', document, message);
  const { based_on: named, type } = document;
  const { sources, sourceRequired } = documentTypeRules[type];
  if (!named && !source) {
    return sourceRequired ? [finding('it must be based on a document, and is not')] : [];
  }
  if (!named) {
    return [finding('it is linked to a source that it does not name')];
  }
  if (!source) {
    return [
      finding(`the ${named.type} ${named.number} that it is based on is not linked, or not in the book`),
    ];
  }
  if (named.id !== source.id || named.type !== source.type || named.number !== source.number) {
    return [
      finding(
        `it names the ${named.type} ${named.number} as its source, and is linked to the ${source.type} ${source.number}`,
      ),
    ];
  }
  if (named.date !== source.date) {
    return [finding(`it names ${named.date} as the date of its source, which is of ${source.date}`)];
  }
  return sources.includes(source.type) ? [] : [finding(`a ${type} cannot be based on a ${source.type}`)];
}
