import { type BookEntry, documentTypeRules } from '@pinkas/contracts';
import { type Fault, faultOf } from './checks.js';

/** Holds what a document says of its source against the document that it is linked to, which is of the same business. */
export function faultsOfLinks({ document, source }: Pick<BookEntry, 'document' | 'source'>): Fault[] {
  const fault = (message: string) => faultOf('links', document, message);
  const { based_on: said, type } = document;
  const { sources, sourceRequired } = documentTypeRules[type];
  if (!said && !source) return sourceRequired ? [fault('it is based on no document, and must be')] : [];
  if (!said) return [fault('it is linked to a source that it does not name')];
  if (!source)
    return [fault(`the ${said.type} ${said.number} that it is based on is not linked, or not in the book`)];
  if (said.id !== source.id || said.type !== source.type || said.number !== source.number) {
    return [
      fault(
        `it names the ${said.type} ${said.number} as its source, and is linked to the ${source.type} ${source.number}`,
      ),
    ];
  }
  if (said.date !== source.date) {
    return [fault(`it names ${said.date} as the date of its source, which is of ${source.date}`)];
  }
  return sources.includes(source.type) ? [] : [fault(`a ${type} cannot be based on a ${source.type}`)];
}
