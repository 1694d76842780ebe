import { recordExport } from '@pinkas/contracts';
import { formatShekels, toShekels } from '@pinkas/domain';
import { uniformCharsets } from '@pinkas/domain/uniform';
import { newPrimaryId, type WrittenUniform, writeUniform } from '@pinkas/exports';
import { given, type Kind, oneOf } from '../builder/arguments.js';
import type { Command, Output } from '../builder/command.js';
import { columns } from '../builder/table.js';
import { UsageError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';
import { readSoftware } from '../config.js';
import { checkCommand } from './check/check-command.js';
import { rangeOptions, readRange } from './date-range.js';
import { documentsCommand } from './documents-command.js';
import { donationsCommand } from './donations-command.js';
import { businessOption, readBusiness } from './exported-business.js';
import { documentProgress } from './progress-line.js';
import { refusalOf } from './refusal.js';
import { transmitCommand } from './transmit-command.js';
import { vatDetailCommand } from './vat-detail-command.js';
import { withholdingCommand } from './withholding-command.js';

function outputOf(written: WrittenUniform, businessId: string): Output {
  const { folder, run, files, reports } = written;
  const { leftOut } = files;
  const json = {
    folder,
    path: run.path,
    from: run.from,
    to: run.to,
    charset: run.charset,
    primary_id: run.primaryId,
    records: Object.fromEntries(files.recordCounts.map(({ code, count }) => [code, count])),
    types: files.typeTotals.map(({ type, code, documents, total }) => ({
      type,
      code,
      documents,
      total: toShekels(total),
    })),
    left_out: {
      documents: leftOut.documents,
      receipt_lines: leftOut.receiptLines,
      base_documents: leftOut.baseDocuments,
    },
    deviations: files.deviations.map(({ field, deviation, count, documents }) => ({
      field: field.number,
      name: field.name,
      deviation,
      count,
      documents,
    })),
    reports,
  };
  return { json, text: textOf(written, businessId) };
}

const deviationTexts = {
  shortened: 'shortened to the field',
  rewritten: 'characters in another form',
  replaced: 'characters written as ?',
  digits_only: 'digits only',
  does_not_fit: 'longer than the field',
  missing: 'mandatory, and the book has no value',
} as const;

function textOf({ folder, run, files }: WrittenUniform, businessId: string): string {
  const { leftOut } = files;
  const totals = files.typeTotals.map(({ code, type, documents, total }) => [
    String(code),
    type,
    documents.toLocaleString('en-US'),
    formatShekels(total),
  ]);
  const counted: [number, string][] = [
    [leftOut.documents, 'quotes, which have no code in the structure'],
    [leftOut.receiptLines, 'lines of receipts, which have their payments instead'],
    [leftOut.baseDocuments, 'references to a quote as the base document'],
  ];
  const left = counted
    .filter(([count]) => count > 0)
    .map(([count, what]) => [count.toLocaleString('en-US'), what]);
  const deviations = files.deviations.map(({ field, deviation, count, documents }) => [
    String(field.number),
    field.name,
    deviationTexts[deviation],
    count.toLocaleString('en-US'),
    documents.length === 0 ? '' : `first: ${documents.join(' ')}`,
  ]);
  return [
    folder,
    `OPEN FORMAT has ended: ${run.path}`,
    `${run.from} to ${run.to}, ${run.charset}, primary id ${run.primaryId}`,
    columns(files.recordCounts.map(({ code, count }) => [code, count.toLocaleString('en-US')])),
    totals.length === 0
      ? 'The book has no document of these dates that belongs into the files'
      : columns(totals),
    ...(left.length === 0 ? [] : [`Left out:\n${columns(left)}`]),
    deviations.length === 0
      ? 'Every field is as in the book'
      : `Fields that differ from the book, or that it has no value for:\n${columns(deviations)}`,
    `To check them: pinkas export check ${folder} --against ${businessId}`,
  ].join('\n\n');
}

/** The letter of a drive. */
const drive: Kind<string> = {
  read: (text, name) => {
    const [, letter] = /^([A-Za-z]):?\\?$/.exec(text) ?? [];
    if (letter === undefined) {
      throw new UsageError(`--${name} takes the letter of a drive, such as F, not "${text}"`);
    }
    return letter.toUpperCase();
  },
};

const uniformCommand: Command = verb('export uniform', {
  summary:
    "writes the tax authority's OPEN FORMAT: the files of the uniform structure 1.31, with their reports",
  options: {
    business: businessOption,
    ...rangeOptions,
    charset: {
      value: 'C',
      meaning: 'iso-8859-8 (default) or cp862',
      kind: oneOf(uniformCharsets, ' or '),
    },
    drive: { value: 'L', meaning: 'the drive that the files are for, which their path names', kind: drive },
    out: { value: 'DIR', meaning: 'the folder that gets OPENFRMT, with a new folder in it', required: true },
  },
  run: async ({ charset = uniformCharsets[0], out, drive: letter, ...values }, call, progress) => {
    const range = readRange(values);
    const found = await readBusiness(call, values.business);
    await call(recordExport, { business_id: found.business.id, format: 'uniform', ...range });
    const software = readSoftware(found.business);
    const written = await refusalOf(
      writeUniform(
        call,
        {
          business: found.business,
          ...range,
          charset,
          out,
          ...given({ drive: letter }),
          software,
          startedAt: new Date(),
          primaryId: newPrimaryId(),
        },
        documentProgress(progress, 'written', found.documents),
      ),
      found.business.id,
    );
    return outputOf(written, found.business.id);
  },
});

/** `pinkas export …` */
export const exportCommands: readonly Command[] = [
  uniformCommand,
  checkCommand,
  documentsCommand,
  donationsCommand,
  vatDetailCommand,
  withholdingCommand,
  transmitCommand,
];
