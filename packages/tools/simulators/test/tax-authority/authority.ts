import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import type { RunningSimulator } from '../../src/http.js';
import { startTaxAuthority } from '../../src/tax-authority/tax-authority-simulator.js';

export const redirectUri = 'http://127.0.0.1:9/connected';

/** The sellers of the sandbox, by their answer. */
export const seller = { granted: 777777715, refused: 777777723, undecided: 777777731, decided: 777777749 };

export interface Answer {
  readonly status: number;
  readonly source: string | null;
  readonly body: Record<string, unknown>;
}

export const today = (days = 0) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Jerusalem' }).format(Date.now() + days * 86_400_000);

/** The example of the portal's own OpenAPI file, with today's dates. */
export const invoice = (id: string, change: object = {}) => ({
  invoice_id: id,
  invoice_type: 305,
  vat_number: seller.granted,
  union_vat_number: 125847553,
  authorized_company: 18,
  user_id: 18,
  user_name: 'שם משתמש',
  invoice_reference_number: '975626515',
  customer_vat_number: 18,
  customer_name: 'לקוח',
  customer_country_code: 'UKR',
  invoice_date: today(),
  invoice_issuance_date: today(),
  branch_id: '533',
  accounting_software_number: 987654321,
  client_software_key: '76857',
  amount_before_discount: 552.75,
  discount: 52.75,
  payment_amount: 500,
  vat_amount: 85,
  payment_amount_including_vat: 585,
  invoice_note: 'הערות',
  action: 0,
  vehicle_license_number: 584752145,
  phone_of_driver: '0505674235',
  arrival_date: '2024-11-24',
  estimated_arrival_time: '13:25',
  transition_location: 12,
  delivery_address: 'כתובת אספקה',
  additional_information: 0,
  additional_information_1: '0',
  additional_information_2: '0',
  additional_information_3: 0,
  items: [
    {
      index: 999999,
      catalog_id: '5569875437',
      category: 15,
      description: 'תיאור הפריט',
      measure_unit_description: 'קילו',
      quantity: 100.5,
      price_per_unit: 5.5,
      discount: 52.75,
      total_amount: 500,
      vat_rate: 17,
      vat_amount: 85,
    },
  ],
  ...change,
});

/** One simulator for each test of a file. */
export class Authority {
  folder = '';
  #running!: RunningSimulator;

  constructor() {
    beforeEach(async () => {
      this.folder = mkdtempSync(join(tmpdir(), 'tax-authority-test-'));
      await this.start();
    });
    afterEach(async () => {
      await this.#running.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  async start(more: object = {}): Promise<void> {
    this.#running = await startTaxAuthority({ host: '127.0.0.1', port: 0, dataDir: this.folder, ...more });
  }

  async restart(more: object = {}): Promise<void> {
    await this.#running.close();
    await this.start(more);
  }

  /** Posts to one of the control addresses. */
  async control(path: '_mode' | '_options' | '_clock' | '_authority', body: object): Promise<Answer> {
    const response = await fetch(`${this.#running.url}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    return answerOf(response);
  }

  async read<Shown>(path: '_calls' | '_state' | '_options'): Promise<Shown> {
    return (await fetch(`${this.#running.url}/${path}`)).json() as Promise<Shown>;
  }

  authorize(query: Record<string, string> = {}): Promise<Response> {
    const search = new URLSearchParams({
      response_type: 'code',
      client_id: 'pinkas',
      scope: 'scope',
      redirect_uri: redirectUri,
      state: 'state-1',
      ...query,
    });
    return fetch(`${this.url}/longtimetoken/oauth2/authorize?${search}`, { redirect: 'manual' });
  }

  async code(): Promise<string> {
    const location = new URL((await this.authorize()).headers.get('location') ?? '');
    return location.searchParams.get('code') ?? '';
  }

  /** @param basic `id:secret`; null sends no Authorization header. */
  async token(form: Record<string, string>, basic: string | null = null): Promise<Answer> {
    const authorization = basic && `Basic ${Buffer.from(basic).toString('base64')}`;
    const response = await fetch(`${this.url}/longtimetoken/oauth2/token`, {
      method: 'POST',
      headers: authorization ? { authorization } : {},
      body: new URLSearchParams(form),
    });
    return answerOf(response);
  }

  async login(): Promise<{ access: string; refresh: string; answer: Answer }> {
    const form = { grant_type: 'authorization_code', code: await this.code(), redirect_uri: redirectUri };
    const answer = await this.token({ ...form, scope: 'scope' }, 'pinkas:secret');
    return { access: String(answer.body.access_token), refresh: String(answer.body.refresh_token), answer };
  }

  /** A refresh as PD shows it: id and secret in the body. */
  refresh(refreshToken: string, client = 'pinkas', secret = 'secret'): Promise<Answer> {
    return this.token({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      scope: 'scope',
      client_id: client,
      client_secret: secret,
    });
  }

  async call(path: string, body: object | string, bearer: string): Promise<Answer> {
    const response = await fetch(`${this.url}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return answerOf(response);
  }

  approve(id: string, bearer: string, change: object = {}): Promise<Answer> {
    return this.call('Invoices/v2/Approval', invoice(id, change), bearer);
  }

  get url(): string {
    return `${this.#running.url}/shaam/tsandbox`;
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return {
    status: response.status,
    source: response.headers.get('x-simulator-source'),
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text },
  };
}

/** The body of a refusal or of data errors, as the examples of the paper write it. */
export function errorBody(
  status: 200 | 400,
  ...errors: readonly (readonly [code: number, message: string, param: string])[]
): object {
  const location = status === 200 ? 'approval' : 'request';
  const listed = errors.map(([code, message, param]) => ({ code, message, param, location }));
  return { status, message: { errors: listed }, confirmation_number: '0', approved: false };
}
