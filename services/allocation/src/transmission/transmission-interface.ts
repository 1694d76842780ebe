import type {
  openTransmission,
  ReplyOf,
  RequestOf,
  readTransmission,
  transmittedFileNames,
} from '@pinkas/contracts';
import { type Members, membersOf } from '../authority/answer-object.js';
import type { AllocationConfig } from '../config.js';

/*
 * The transmission of the uniform structure ('Supplement 1', edition 1.0 of 3/2026, with the clarification of 26.8.2026), as two
 * clients of others read it. What no two of them agree on is here and nowhere else, marked as an assumption:
 *
 * - dates: the examples write YYYY-MM-DD, the prose DD-MM-YYYY;
 * - hosts: the links as the look-up of numbers, the status as approvals;
 * - the status is asked for by `fileUniqueId` (another client sends `fileName`), and `fileName` of its answer holds that id;
 * - which file a link is for is taken from its name; a name without an ending gets the text;
 * - the tokens are those of the connection that requests numbers, without a scope of its own.
 */

type Config = Pick<AllocationConfig, 'taxAuthorityUrl' | 'taxAuthorityInformationUrl'>;
type Opened = ReplyOf<typeof openTransmission>;
type Read = ReplyOf<typeof readTransmission>;

/** An answer that is not what the supplement describes. */
class UnreadableTransmissionError extends Error {
  override readonly name = 'UnreadableTransmissionError';
}

export const linksUrl = ({ taxAuthorityInformationUrl: base }: Config): string =>
  `${base}/UniStructFileUploadLinksApi/v1/UploadingFile/GetUrlsForUploadingFiles`;

export const statusUrl = ({ taxAuthorityUrl: base }: Config): string =>
  `${base}/FilesStatusApi/v1/Files/get-file-status`;

export function linksRequest({ tax_id, from, to }: RequestOf<typeof openTransmission>): object {
  return { caseNumber: Number(tax_id), startPeriod: from, endPeriod: to };
}

export function statusRequest({ files }: RequestOf<typeof readTransmission>): object {
  return files.map(({ id }) => ({ fileUniqueId: id }));
}

const notRequired = /no requirement for a uniform structure file/i;

/** @throws UnreadableTransmissionError */
export function readLinks(body: string): Pick<Opened, 'outcome' | 'reason' | 'id' | 'files'> {
  const answer = membersOf(parsed(body));
  const data = membersOf(answer?.get('data'));
  if (answer?.get('success') !== true || !data) {
    const error = membersOf(answer?.get('error'));
    const message = textOf(error?.get('message')) ?? 'the authority gave no reason';
    return {
      outcome: notRequired.test(message) ? 'not_required' : 'failed',
      reason: message,
      id: null,
      files: [],
    };
  }
  const files = data.get('files');
  const links = (Array.isArray(files) ? files : []).map((file: unknown) => linkOf(membersOf(file)));
  if (links.length === 0) {
    throw new UnreadableTransmissionError('the answer has no links');
  }
  return { outcome: 'done', reason: null, id: textOf(data.get('uniqueid')), files: links };
}

function linkOf(file: Members | undefined): Opened['files'][number] {
  const id = textOf(file?.get('fileuniqueid'));
  const url = textOf(file?.get('signurl'));
  const name = nameOf(textOf(file?.get('filename')) ?? '');
  if (!id || !url || !URL.canParse(url) || name === null) {
    throw new UnreadableTransmissionError('a link has no id, no address or no known file');
  }
  const headers = Object.entries((file?.get('headers') ?? {}) as Record<string, unknown>).map(
    ([header, value]) => ({ name: header.toLowerCase(), value: String(value) }),
  );
  const range = headers.find((header) => header.name === 'x-goog-content-length-range')?.value;
  const max = /^\d+,(\d+)$/.exec(range ?? '')?.[1];
  return { id, url, name, headers, max_bytes: max === undefined ? null : Number(max) };
}

function nameOf(given: string): (typeof transmittedFileNames)[number] | null {
  if (/ini/i.test(given)) {
    return 'INI.TXT';
  }
  if (!/bkmvdata/i.test(given)) {
    return null;
  }
  return /\.zip$/i.test(given) ? 'BKMVDATA.zip' : 'BKMVDATA.TXT';
}

/** @throws UnreadableTransmissionError */
export function readStatuses(body: string, { files }: RequestOf<typeof readTransmission>): Read['files'] {
  const list = parsed(body);
  if (!Array.isArray(list)) {
    const error = membersOf(membersOf(list)?.get('error'));
    throw new UnreadableTransmissionError(textOf(error?.get('message')) ?? 'the answer is no list');
  }
  const statuses = list.map((item: unknown) => membersOf(item));
  return files.map(({ id }) => {
    const found = statuses.find((item) => item?.get('filename') === id || item?.get('fileuniqueid') === id);
    const status = (textOf(found?.get('status')) ?? '').toLowerCase();
    const isKnown = status === 'uploaded' || status === 'approved' || status === 'rejected';
    const description = textOf(found?.get('description')) ?? textOf(found?.get('errormessage'));
    return { id, status: isKnown ? status : 'unknown', description };
  });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new UnreadableTransmissionError('the answer is not JSON');
  }
}

/** Longer than any address that is signed. */
const textMax = 2_048;

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, textMax) : null;
}
