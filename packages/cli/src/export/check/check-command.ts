import { anyText, businessId } from '../../builder/arguments.js';
import { findBusiness } from '../../builder/calls.js';
import type { Command, Output } from '../../builder/command.js';
import { verb } from '../../builder/verb.js';
import { documentProgress } from '../progress-line.js';
import { type CheckResult, checkFolder } from './check-folder.js';

/** `pinkas export check` */
export const checkCommand: Command = verb('export check', {
  summary: 'checks the files of an OPEN FORMAT (uniform structure), by themselves or against the book',
  arguments: { DIR: anyText },
  options: {
    against: {
      value: 'ID',
      meaning: 'compares every figure with the book of this business',
      kind: businessId,
    },
  },
  run: async ({ DIR, against: id }, call, progress) => {
    const against = id === undefined ? null : { call, business: (await findBusiness(call, id)).business };
    return outputOf(await checkFolder(DIR, against, documentProgress(progress, 'checked', null)));
  },
});

function outputOf({ folder, documents, records, compared, findings }: CheckResult): Output {
  const { found, count } = findings;
  const lines = found.map(({ file, record, field, reason, section }) => {
    const place = [file, record === null ? '' : `record ${record}`, field === null ? '' : `field ${field}`];
    const rule = section === null ? '' : ` (§${section})`;
    return `  ${place.filter((part) => part !== '').join(', ')}: ${reason}${rule}`;
  });
  const counted = `${count.toLocaleString('en-US')} ${count === 1 ? 'finding' : 'findings'}`;
  const more = count - found.length;
  return {
    json: { ok: count === 0, folder, documents, records, compared, findings: found, findings_more: more },
    text: [
      folder,
      `${documents.toLocaleString('en-US')} documents in ${records.toLocaleString('en-US')} records`,
      ...lines,
      ...(more === 0 ? [] : [`  And ${more.toLocaleString('en-US')} more`]),
      count === 0 ? `Valid${compared ? ', and as in the book' : ''}` : `NOT VALID: ${counted}`,
    ].join('\n'),
    ...(count > 0 && { failure: `${counted}: docs/export.md says what each field has to be` }),
  };
}
