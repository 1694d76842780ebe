export { type BookRange, type Selection, selectedPages } from './book-pages.js';
export {
  byteOrderMark,
  type CsvCell,
  type CsvColumn,
  csvHead,
  csvMoney,
  csvRow,
  csvRows,
} from './documents/csv.js';
export { type ExportFormat, exportFormats } from './documents/part-writers.js';
export { type DocumentsExport, type WrittenDocuments, writeDocuments } from './documents/write-documents.js';
export { type DonationLine, DonationSums, donationLines } from './donations/donation-lines.js';
export {
  type DonationsExport,
  type WrittenDonations,
  writeDonations,
} from './donations/write-donations.js';
export { ExportRefusedError, type RefusalReason } from './export-refused-error.js';
export { escaped, ltr, type PrintedReportParts, printedReport } from './printed-report.js';
export {
  type ReportTable,
  type ReportText,
  runSummary,
  typeTotals,
  uniformReports,
} from './uniform/report-html.js';
export { UploadFailedError, UploadGoneError } from './uniform/resumable-upload.js';
export type { RunReport } from './uniform/run-report.js';
export {
  describeSoftware,
  type SoftwareSettings,
  unregisteredSoftware,
} from './uniform/software.js';
export {
  readTransmissionFile,
  storeTransmission,
  type Transmission,
  type TransmissionCalls,
  TransmissionError,
  type TransmissionProblem,
  transmitUniform,
} from './uniform/transmit-uniform.js';
export {
  newPrimaryId,
  type UniformExport,
  type WrittenUniform,
  writeUniform,
} from './uniform/write-uniform.js';
export {
  type VatDetailExport,
  type VatDetailSummary,
  type VatSums,
  writeVatDetail,
} from './vat/write-vat-detail.js';
export { type WithheldRange, withheldCsv, withheldPages } from './withheld/withheld-csv.js';
export {
  type SingleFile,
  type SingleFileExport,
  type SingleFileFormat,
  singleFileFormats,
  writeSingleFile,
} from './write-single-file.js';
export { type ZippedSource, zipFiles, zipStream } from './zip-files.js';
