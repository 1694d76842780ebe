import type { openTransmission, ReplyOf, readTransmission } from '@pinkas/contracts';
import type { Simulator } from './simulator.js';

type Opened = ReplyOf<typeof openTransmission>;
type Read = ReplyOf<typeof readTransmission>;

interface Link {
  readonly fileName: Opened['files'][number]['name'];
  readonly fileUniqueId: string;
  readonly signUrl: string;
  readonly headers: Record<string, string>;
}

interface Status {
  readonly fileName: string;
  readonly status: string;
  readonly description: string;
}

/** A file in the storage of the simulator. */
export interface ReceivedFile {
  readonly name: string;
  readonly sha256: string | null;
  readonly received: number;
  readonly parts: number[];
}

/** The calls that the allocation service makes about a transmission, on a simulator of the tax authority. */
export class AuthorityFiles {
  private constructor(
    private readonly authority: Simulator,
    private readonly bearer: string,
  ) {}

  static async login(authority: Simulator): Promise<AuthorityFiles> {
    const base = `${authority.url}/shaam/tsandbox/longtimetoken/oauth2`;
    const redirect_uri = 'http://127.0.0.1:9/connected';
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'c',
      scope: 'scope',
      redirect_uri,
    });
    const { headers } = await fetch(`${base}/authorize?${query}`, { redirect: 'manual' });
    const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
    const response = await fetch(`${base}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('c:s').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri, scope: 'scope' }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    return new AuthorityFiles(authority, access_token);
  }

  /** Sets guesses of the simulator, or with `{ reset: true }` none. */
  async setOptions(options: object): Promise<void> {
    const response = await fetch(`${this.authority.url}/_options`, {
      method: 'POST',
      body: JSON.stringify(options),
    });
    if (!response.ok) {
      throw new Error(await response.text());
    }
  }

  async open(): Promise<Opened> {
    const { data, error } = (await this.#post(
      'UniStructFileUploadLinksApi/v1/UploadingFile/GetUrlsForUploadingFiles',
      { caseNumber: 777777715, startPeriod: '2026-01-01', endPeriod: '2026-12-31' },
    )) as { data: { uniqueId: string; files: Link[] } | null; error: { message: string } | null };
    const files = (data?.files ?? []).map((file) => ({
      name: file.fileName,
      id: file.fileUniqueId,
      url: file.signUrl,
      headers: Object.entries(file.headers).map(([name, value]) => ({ name, value })),
      max_bytes: Number(file.headers['x-goog-content-length-range']?.split(',')[1]),
    }));
    const outcome = data ? ('done' as const) : ('not_required' as const);
    return { outcome, reason: error?.message ?? null, id: data?.uniqueId ?? null, files };
  }

  async read(files: readonly { readonly id: string }[]): Promise<Read> {
    const asked = files.map(({ id }) => ({ fileUniqueId: id }));
    const statuses = (await this.#post('FilesStatusApi/v1/Files/get-file-status', asked)) as Status[];
    const found = statuses.map(({ fileName, status, description }) => ({
      id: fileName,
      status: (status || 'unknown').toLowerCase() as 'approved',
      description,
    }));
    return { outcome: 'done', reason: null, files: found };
  }

  /** The newest files of the simulator's storage, by their names. */
  async stored(): Promise<Record<string, ReceivedFile>> {
    const { files } = await this.authority.read<{ files: ReceivedFile[] }>('/_state');
    return Object.fromEntries(files.map((file) => [file.name, file]));
  }

  async #post(path: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.authority.url}/shaam/tsandbox/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) {
      throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    }
    return response.json();
  }
}
