import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Business, type Call, printReport, reportPeriod } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { byteOrderMark, type SingleFile, zipFiles } from '@pinkas/exports';
import { fileNameOf, periodFrom } from '../../reports/period.js';
import { printedPeriod, reportFile, reportRequest } from '../../reports/report.js';

/**
 * Writes the report of a period as the page of reports has it, as a PDF and as a table, in one zip.
 * @param from the first day of its first month.
 */
export async function writeReport(
  call: Call,
  business: Business,
  {
    from,
    months,
    folder,
    now,
  }: { readonly from: string; readonly months: number; readonly folder: string; readonly now: Date },
): Promise<SingleFile> {
  const period = periodFrom(from, months);
  const fileName = fileNameOf(period);
  const view = { book: business, language: business.language };
  const report = await call(reportPeriod, reportRequest(business, period));
  const { pdf } = await call(printReport, {
    business_id: business.id,
    title: `Report ${period.name}`,
    html: printedPeriod(view, period, report, dayInIsrael(now)),
  });
  const table = byteOrderMark + reportFile(view, report);
  const contents = [
    { name: `report-${fileName}.pdf`, bytes: Buffer.from(pdf, 'base64') },
    { name: `report-${fileName}.csv`, bytes: Buffer.from(table) },
  ];
  const files = contents.map(({ name }) => ({ name, path: join(folder, name) }));
  await Promise.all(contents.map(({ name, bytes }) => writeFile(join(folder, name), bytes)));
  const path = join(folder, 'export.zip');
  await zipFiles(path, files, now);
  const documents = report.types.reduce((sum, row) => sum + row.documents, 0);
  const name = `pinkas-report-${fileName}.zip`;
  return { path, name, mediaType: 'application/zip', documents, missingPdfs: [] };
}
