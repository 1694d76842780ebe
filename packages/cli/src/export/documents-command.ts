import { recordExport } from '@pinkas/contracts';
import { exportFormats, writeDocuments } from '@pinkas/exports';
import { oneOf } from '../builder/arguments.js';
import type { Command } from '../builder/command.js';
import { UsageError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';
import { rangeOptions, readRange } from './date-range.js';
import { businessOption, readBusiness } from './exported-business.js';
import { documentProgress } from './progress-line.js';
import { refusalOf } from './refusal.js';

/** `pinkas export documents` */
export const documentsCommand: Command = verb('export documents', {
  summary: 'writes the whole book in an open format; continues where it was interrupted',
  options: {
    business: businessOption,
    ...rangeOptions,
    format: {
      value: 'F',
      meaning: exportFormats.join(', '),
      required: true,
      kind: oneOf(exportFormats),
    },
    raw: { value: null, meaning: 'texts in CSV as callers wrote them, also formulas' },
    out: { value: 'PATH', meaning: 'the folder for the files, which is made', required: true },
  },
  run: async ({ format, raw, out: folder, ...values }, call, progress) => {
    const range = readRange(values);
    if (raw && format !== 'csv') {
      throw new UsageError('--raw is for --format csv');
    }
    const { business, urls, documents } = await readBusiness(call, values.business);
    await call(recordExport, { business_id: business.id, format, ...range });
    const written = await refusalOf(
      writeDocuments(
        call,
        { businessId: business.id, ...range, format, urls, raw, folder },
        documentProgress(progress, 'written', documents),
      ),
      business.id,
    );
    const { missingPdfs, resumedAfter, startedAt } = written;
    const missing = missingPdfs.length;
    return {
      json: {
        folder,
        format,
        ...range,
        documents: written.documents,
        started_at: startedAt,
        resumed_after: resumedAfter,
        files: written.files,
        missing_pdfs: missingPdfs,
      },
      text: [
        folder,
        `${written.documents.toLocaleString('en-US')} ${written.documents === 1 ? 'document' : 'documents'} in ${written.files.length} ${written.files.length === 1 ? 'file' : 'files'}`,
        ...(resumedAfter > 0
          ? [
              `Continued after ${resumedAfter.toLocaleString('en-US')} documents the export of ${startedAt}: documents issued since then may be missing`,
            ]
          : []),
        ...missingPdfs.map((name) => `  ${name} has no PDF`),
        'To check the files: sha256sum --check SHA256SUMS',
      ].join('\n'),
      ...(missing > 0 && {
        failure: `${missing} ${missing === 1 ? 'document has' : 'documents have'} no PDF: pinkas verify says more`,
      }),
    };
  },
});
