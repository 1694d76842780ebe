import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import type { Language } from '@pinkas/ui';
import type { GatewayConfig } from '../../config.js';
import { HttpPage, type PageReply, type PageRequest, type UploadPageHandler } from '../../http/http-page.js';
import { htmlHeaders } from '../../http/page-headers.js';
import type { Upload } from '../../http/uploads.js';
import { type Answer, checkFile, checkPublicId, type Problem } from './check-file.js';
import { verifyDocument } from './verify-html.js';
import { verifyPath } from './verify-path.js';

const statuses: Partial<Record<Problem, PageReply['status']>> = {
  none: 400,
  malformed: 400,
  too_large: 413,
  busy: 503,
  no_such_id: 404,
};

/** Checks whether a PDF is genuine, for anybody who has it, or the id in its QR code. The file is kept in memory while it is checked. */
@HttpPage((config) => new URL(config.baseUrl).origin, verifyPath, { upload: true })
export class VerifyPage implements UploadPageHandler {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: Pick<GatewayConfig, 'viewUrlBase'>,
  ) {}

  async handle(request: PageRequest): Promise<PageReply> {
    const given = request.query.get('id')?.trim() ?? '';
    if (given === '') {
      return this.#page(request, null, given);
    }
    const id = publicIdIn(given);
    const answer: Answer = id === null ? { problem: 'no_such_id' } : await checkPublicId(this.rpc, id);
    return this.#page(request, answer, given);
  }

  async receive(request: PageRequest, upload: Upload): Promise<PageReply> {
    const answer: Answer =
      upload.kind === 'file' ? await checkFile(this.rpc, upload.bytes) : { problem: upload.kind };
    return this.#page(request, answer, '');
  }

  #page(request: PageRequest, answer: Answer | null, id: string): PageReply {
    const language: Language = request.query.get('lang') === 'en' ? 'en' : 'he';
    const body = verifyDocument({ language, answer, id, viewUrlBase: this.config.viewUrlBase });
    const status = (answer && 'problem' in answer && statuses[answer.problem]) || 200;
    const headers = { ...htmlHeaders(body, { hasForm: true }), 'cache-control': 'no-store' };
    return { status, headers: status === 503 ? { ...headers, 'retry-after': '5' } : headers, body };
  }
}

/** The id in what a person has typed, or in the address that the QR code has. */
function publicIdIn(text: string): string | null {
  const id =
    text
      .replace(/[?#].*$/, '')
      .replace(/\/+$/, '')
      .split('/')
      .at(-1) ?? '';
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : null;
}
