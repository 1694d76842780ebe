import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Business, openTransmission, readTransmission, recordExport } from '@pinkas/contracts';
import { uniformCharsets } from '@pinkas/domain/uniform';
import {
  newPrimaryId,
  readTransmissionFile,
  storeTransmission,
  type Transmission,
  TransmissionError,
  transmitUniform,
  UploadFailedError,
  UploadGoneError,
  writeUniform,
} from '@pinkas/exports';
import type { Call, Command, Output, Progress } from '../builder/command.js';
import { columns } from '../builder/table.js';
import { RefusalError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';
import { readSoftware } from '../config.js';
import { readRange } from './date-range.js';
import { businessOption, readBusiness } from './exported-business.js';
import { documentProgress } from './progress-line.js';
import { refusalOf } from './refusal.js';

type Range = { readonly from: string; readonly to: string };

const ends = {
  approved: null,
  uploaded: 'The tax authority has not decided yet: run the same command later, which asks again',
  rejected:
    'The tax authority rejected the files: correct the cause, then run the same command, which makes new ones',
  not_required: null,
  written: null,
  opened: null,
} as const;

const texts = {
  approved: 'The tax authority approved the files',
  uploaded: 'The files are uploaded',
  rejected: 'The tax authority rejected the files',
  not_required: 'The tax authority does not ask this business for a uniform structure file',
  written: 'The files are written',
  opened: 'The upload has begun',
} as const;

function outputOf(transmission: Transmission, out: string): Output {
  const { state, files, folder, from, to, id } = transmission;
  const shown = files.map(({ name, bytes, sha256, status, description }) => ({
    ...{ name, bytes, sha256, status, description },
  }));
  const rows = shown.map(({ name, bytes, status, description }) => [
    name,
    `${bytes.toLocaleString('en-US')} bytes`,
    status,
    description ?? '',
  ]);
  return {
    json: { out, folder, from, to, id, state, files: shown },
    text: [texts[state], folder, ...(rows.length > 0 ? [columns(rows)] : [])].join('\n\n'),
    ...(ends[state] !== null && { failure: ends[state] }),
  };
}

/** Writes the files of a new transmission, unless an earlier run has done so. */
async function begin(
  call: Call,
  out: string,
  business: Business,
  range: Range,
  onDocuments: (count: number) => void,
): Promise<Transmission> {
  const begun = await readTransmissionFile(out);
  const isSame = begun?.business_id === business.id && begun.from === range.from && begun.to === range.to;
  if (begun && !isSame) {
    throw new RefusalError(
      `${out} has the transmission of another business or period: choose another folder`,
    );
  }
  if (begun && begun.state !== 'rejected') {
    return begun;
  }
  await mkdir(out, { recursive: true });
  await call(recordExport, { business_id: business.id, format: 'uniform', ...range });
  const request = { business, ...range, charset: uniformCharsets[0], out, software: readSoftware(business) };
  const run = { startedAt: new Date(), primaryId: newPrimaryId() };
  const { folder } = await refusalOf(writeUniform(call, { ...request, ...run }, onDocuments), business.id);
  const fresh = {
    business_id: business.id,
    ...range,
    folder,
    state: 'written',
    id: null,
    files: [],
  } as const;
  await storeTransmission(out, fresh);
  return fresh;
}

/** Shows how much of a file is sent, and once what has been sent of each. */
function byteProgress(progress: Progress) {
  return (file: string, sent: number, bytes: number): void => {
    const percent = bytes === 0 ? 100 : Math.floor((sent * 100) / bytes);
    const line = `${file}: ${sent.toLocaleString('en-US')} of ${bytes.toLocaleString('en-US')} bytes, ${percent} %`;
    if (sent === bytes) {
      progress.print(line);
    } else {
      progress.show(line);
    }
  };
}

/** `pinkas export transmit` */
export const transmitCommand: Command = verb('export transmit', {
  summary:
    'sends the uniform structure of a year to the tax authority; repeated, it continues where it stopped',
  options: {
    business: businessOption,
    year: { value: 'Y', meaning: 'the year of the documents', required: true },
    out: {
      value: 'DIR',
      meaning: 'the folder of the files and of the state; default: pinkas-transmission-ID-Y in this folder',
    },
  },
  run: async ({ year, ...values }, call, progress) => {
    const range = readRange({ year });
    const { business, documents } = await readBusiness(call, values.business);
    const out = values.out ?? join(process.cwd(), `pinkas-transmission-${business.id}-${year}`);
    const begun = await begin(call, out, business, range, documentProgress(progress, 'written', documents));
    const calls = {
      open: (taxId: string) => call(openTransmission, { business_id: business.id, tax_id: taxId, ...range }),
      read: (files: Transmission['files']) =>
        call(readTransmission, {
          business_id: business.id,
          files: files.map(({ id, name }) => ({ id, name })),
        }),
    };
    try {
      const onProgress = byteProgress(progress);
      const store = (transmission: Transmission) => storeTransmission(out, transmission);
      return outputOf(await transmitUniform(calls, begun, { onProgress, store }), out);
    } catch (error) {
      const isExpected = [TransmissionError, UploadFailedError, UploadGoneError].some(
        (kind) => error instanceof kind,
      );
      if (!isExpected) {
        throw error;
      }
      const { message } = error as Error;
      throw new RefusalError(`${message.replace(/\.$/, '')}; the same command continues in ${out}`);
    }
  },
});
