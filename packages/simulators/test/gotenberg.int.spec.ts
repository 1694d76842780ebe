import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { requireBinary } from '@pinkas/local-stack/servers';
import { eventually } from '@pinkas/testkit';
import { startGotenberg } from '../src/gotenberg/gotenberg-simulator.js';
import type { RunningSimulator } from '../src/http.js';
import { chromiumChildren } from './chromium-children.js';
import { unresponsiveAtFirst } from './unresponsive-chromium.js';

const fonts = join(
  dirname(createRequire(import.meta.url).resolve('@fontsource/heebo/package.json')),
  'files',
);
const heebo = readFileSync(join(fonts, 'heebo-hebrew-400-normal.woff2'));

const chromium = requireBinary('chromium-headless-shell');

let gotenberg: RunningSimulator;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gotenberg-test-'));
  gotenberg = await startGotenberg({
    host: '127.0.0.1',
    port: 0,
    chromiumPath: chromium,
    pages: 2,
    queueMax: 4,
  });
}, 30_000);
afterEach(async () => {
  await setMode(gotenberg, {});
});
afterAll(async () => {
  await gotenberg.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Form {
  readonly files: Record<string, string | Buffer>;
  readonly fields?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

function convert(to: RunningSimulator, { files, fields = {}, headers = {} }: Form): Promise<Response> {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) {
    form.append('files', new Blob([content]), name);
  }
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value);
  }
  return fetch(`${to.url}/forms/chromium/convert/html`, { method: 'POST', body: form, headers });
}

it('a simulator with a password prints only for who has it, and tells everybody whether it is up', async () => {
  const guarded = await startGotenberg({
    host: '127.0.0.1',
    port: 0,
    chromiumPath: chromium,
    pages: 1,
    basicAuth: 'rendering:secret',
  });
  try {
    const files = { 'index.html': html('שלום') };
    const status = async (authorization?: string) => {
      const response = await convert(guarded, { files, headers: authorization ? { authorization } : {} });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await status()).toBe(401);
    expect(await status(`Basic ${btoa('rendering:other')}`)).toBe(401);
    expect(await status(`Basic ${btoa('rendering:secret')}`)).toBe(200);
    expect((await fetch(`${guarded.url}/health`)).status).toBe(200);
  } finally {
    await guarded.close();
  }
}, 30_000);

const html = (body: string, style = '') =>
  `<!doctype html><html lang="he" dir="rtl"><head><meta charset="utf-8"><title>חשבונית</title><style>${style}</style></head><body>${body}</body></html>`;

async function pdfOf(response: Response): Promise<{ text: string; info: string; fonts: string }> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) {
    throw new Error(`${response.status}: ${bytes.toString('utf8')}`);
  }
  const file = join(folder, 'answer.pdf');
  writeFileSync(file, bytes);
  const run = (program: string, ...more: string[]) =>
    execFileSync(program, [file, ...more], { encoding: 'utf8' });
  return {
    // Without the marks of direction that pdftotext puts around runs of Hebrew and digits.
    text: run('pdftotext', '-').replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ''),
    info: run('pdfinfo'),
    fonts: run('pdffonts'),
  };
}

async function setMode(to: RunningSimulator, mode: object): Promise<Response> {
  return fetch(`${to.url}/_mode`, { method: 'POST', body: JSON.stringify(mode) });
}

async function callsOf(
  to: RunningSimulator,
): Promise<{ converted: number; failed: number; in_flight: number }> {
  return (await fetch(`${to.url}/_calls`)).json() as Promise<{
    converted: number;
    failed: number;
    in_flight: number;
  }>;
}

describe('a conversion', () => {
  it('a conversion prints Hebrew text on the requested paper size', async () => {
    const response = await convert(gotenberg, {
      files: { 'index.html': html('<h1>חשבונית מס 1042</h1>') },
      fields: { paperWidth: '8.27', paperHeight: '297mm', printBackground: 'true' },
    });
    expect(response.headers.get('content-type')).toBe('application/pdf');
    const pdf = await pdfOf(response);
    expect(pdf.text).toContain('חשבונית מס');
    expect(pdf.text).toContain('1042');
    expect(pdf.info).toMatch(/Page size:\s+595\.\d* x 84[12]\.?\d* pts \(A4\)/);
    expect(pdf.info).toMatch(/Title:\s+חשבונית/);
  });

  it('a conversion embeds the font of its own form, also when the next form has another one of that name', async () => {
    const style = "@font-face{font-family:F;src:url('f.woff2')} body{font-family:F}";
    const page = html('<p>סך הכול</p>', style);
    const first = await pdfOf(await convert(gotenberg, { files: { 'index.html': page, 'f.woff2': heebo } }));
    expect(first.fonts).toMatch(/Heebo.*yes yes yes/);
    const bold = readFileSync(join(fonts, 'heebo-hebrew-900-normal.woff2'));
    const second = await pdfOf(await convert(gotenberg, { files: { 'index.html': page, 'f.woff2': bold } }));
    expect(second.fonts).toContain('Heebo-Black');
    const third = await pdfOf(await convert(gotenberg, { files: { 'index.html': page } }));
    expect(third.fonts).not.toContain('Heebo');
  });

  it('a conversion embeds its font on every page of the pool', async () => {
    const style = "@font-face{font-family:F;src:url('f.woff2')} body{font-family:F}";
    const form = (n: number) => ({
      files: { 'index.html': html(`<p>מסמך ${n}</p>`, style), 'f.woff2': heebo },
    });
    for (let round = 0; round < 6; round += 1) {
      const answers = await Promise.all([0, 1].map((n) => convert(gotenberg, form(round * 2 + n))));
      for (const answer of answers) {
        expect((await pdfOf(answer)).fonts).toContain('Heebo');
      }
    }
  });

  it('concurrent conversions do not mix documents', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => 7_001 + index);
    const print = async (mine: number[]) => {
      const texts: string[] = [];
      for (const number of mine) {
        const response = await convert(gotenberg, { files: { 'index.html': html(`<p>מספר ${number}</p>`) } });
        texts.push((await pdfOf(response)).text.match(/\d{4}/g)?.join() ?? '');
      }
      return texts;
    };
    const found = await Promise.all([
      print(numbers.slice(0, 4)),
      print(numbers.slice(4, 8)),
      print(numbers.slice(8)),
    ]);
    expect(found.flat()).toEqual(numbers.map(String));
  });

  it('a conversion runs no script, reads no local file and reaches no network', async () => {
    let reached = 0;
    const outside = createServer((_request, response) => {
      reached += 1;
      response.end('reached');
    });
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    const there = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    try {
      const response = await convert(gotenberg, {
        files: {
          'index.html': html(
            `<p>kept</p><script>document.body.append('scripted')</script>
             <img src="${there}/img"><link rel="stylesheet" href="${there}/css"><iframe src="${there}/frame"></iframe>
             <iframe sandbox srcdoc="<img src='${there}/sandboxed'>"></iframe>
             <link rel="preconnect" href="${there}"><object data="${there}/object"></object>
             <iframe src="file:///etc/passwd"></iframe><object data="file:///etc/passwd"></object>`,
            `body { background: url(${there}/background) }`,
          ),
        },
      });
      const { text } = await pdfOf(response);
      expect(text).toContain('kept');
      expect(text).not.toContain('scripted');
      expect(text).not.toContain('root:');
      expect(reached).toBe(0);
    } finally {
      outside.close();
    }
  });

  it('a document that navigates the page is rejected, and the next one is printed', async () => {
    const away = await convert(gotenberg, {
      files: { 'index.html': '<meta http-equiv="refresh" content="0;url=about:blank"><p>gone' },
    });
    // The document may be printed before the page leaves it; it must never be printed as an empty page.
    if (away.status === 200) {
      expect((await pdfOf(away)).text).toContain('gone');
    } else {
      expect(away.status).toBe(503);
    }
    for (const n of [1, 2, 3]) {
      const next = await convert(gotenberg, { files: { 'index.html': html(`<p>הבא ${n}</p>`) } });
      expect((await pdfOf(next)).text).toContain(`הבא ${n}`);
    }
  });

  it('a conversion prints header and footer, and only the requested pages', async () => {
    const response = await convert(gotenberg, {
      files: {
        'index.html': html('<p>first</p><p style="break-before:page">second</p>'),
        'footer.html':
          '<p style="font-size:10px">page <span class="pageNumber"></span> of <span class="totalPages"></span></p>',
      },
      fields: { nativePageRanges: '2', marginBottom: '1' },
    });
    const { text, info } = await pdfOf(response);
    expect(text).toContain('second');
    expect(text).not.toContain('first');
    expect(text).toMatch(/page 2 of 2/);
    expect(info).toMatch(/Pages:\s+1\n/);
  });

  it('the response has the trace header of the request', async () => {
    const response = await convert(gotenberg, {
      files: { 'index.html': html('x') },
      headers: { 'Gotenberg-Trace': 'trace-17', 'Gotenberg-Output-Filename': 'invoice' },
    });
    expect(response.headers.get('gotenberg-trace')).toBe('trace-17');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="invoice.pdf"');
    await response.arrayBuffer();
  });
});

describe('invalid forms', () => {
  it.each([
    ['without index.html', { files: { 'other.html': 'x' } }, "form file 'index.html' is required"],
    [
      'with a length that is none',
      { files: { 'index.html': 'x' }, fields: { paperWidth: 'wide' } },
      "'paperWidth' is invalid",
    ],
    [
      'with a field that would silently be lost',
      { files: { 'index.html': 'x' }, fields: { pdfa: 'PDF/A-3b' } },
      "'pdfa' is not supported",
    ],
    [
      'with page ranges beyond the document',
      { files: { 'index.html': 'x' }, fields: { nativePageRanges: '9' } },
      'Page range',
    ],
    [
      'with margins that leave no room',
      { files: { 'index.html': 'x' }, fields: { marginTop: '20' } },
      'Chromium cannot print',
    ],
    [
      'that requires all of its pictures, with one missing',
      {
        files: { 'index.html': '<img src="logo.png">' },
        fields: { failOnResourceLoadingFailed: 'true' },
      },
      'logo.png',
    ],
  ])('a form %s gets 400 with the reason', async (_what, form: Form, reason) => {
    const response = await convert(gotenberg, form);
    expect(await response.text()).toContain(reason);
    expect(response.status).toBe(400);
  });

  it('a request that is no form gets 415', async () => {
    const url = `${gotenberg.url}/forms/chromium/convert/html`;
    const response = await fetch(url, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(415);
  });

  it('a truncated form gets 400', async () => {
    const url = `${gotenberg.url}/forms/chromium/convert/html`;
    const body =
      '--b\r\ncontent-disposition: form-data; name="files"; filename="index.html"\r\n\r\n<p>half a';
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect(response.status).toBe(400);
  });
});

describe('failures', () => {
  it('the simulator recovers after Chromium is killed, and the document in flight is printed', async () => {
    const [browser] = chromiumChildren();
    const before = convert(gotenberg, {
      files: { 'index.html': html('<p>עמוד</p>'.repeat(3_000)) },
    });
    await eventually('a document is being printed', async () => (await callsOf(gotenberg)).in_flight === 1);
    process.kill(browser ?? 0, 'SIGKILL');
    expect((await pdfOf(await before)).text).toContain('עמוד');
    await eventually('it is up again', async () => (await fetch(`${gotenberg.url}/health`)).status === 200);
    const after = await convert(gotenberg, { files: { 'index.html': html('<p>אחרי</p>') } });
    expect((await pdfOf(after)).text).toContain('אחרי');
    expect(chromiumChildren()).not.toContain(browser);
  }, 30_000);

  it('a document that exceeds its deadline gets 503, and the next one is printed', async () => {
    const hasty = await startGotenberg({
      host: '127.0.0.1',
      port: 0,
      chromiumPath: chromium,
      pages: 1,
      apiTimeoutMs: 3_000,
    });
    try {
      const heavy = html('<table>'.repeat(20) + '<tr><td>כבד</td></tr>'.repeat(300_000));
      expect((await convert(hasty, { files: { 'index.html': heavy } })).status).toBe(503);
      let next: Response | undefined;
      await eventually(
        'it prints again',
        async () => {
          next = await convert(hasty, { files: { 'index.html': html('<p>קל</p>') } });
          return next.status === 200;
        },
        25_000,
      );
      expect((await pdfOf(next as Response)).text).toContain('קל');
    } finally {
      await hasty.close();
    }
  }, 45_000);

  it('a request gets 429 at once when the queue is full', async () => {
    const page = html('<p>תור</p>'.repeat(500));
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => convert(gotenberg, { files: { 'index.html': page } })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    // Two pages and four places in the queue, at least, are served.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  });

  it('a caller that disconnects leaves the queue', async () => {
    await setMode(gotenberg, { delay_ms: 60_000 });
    const leaving = new AbortController();
    const form = new FormData();
    form.append('files', new Blob([html('x')]), 'index.html');
    const left = fetch(`${gotenberg.url}/forms/chromium/convert/html`, {
      method: 'POST',
      body: form,
      signal: leaving.signal,
    });
    await eventually('a document is being printed', async () => (await callsOf(gotenberg)).in_flight === 1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await eventually('nothing is being printed', async () => (await callsOf(gotenberg)).in_flight === 0);
  });
});

describe('failure modes', () => {
  it('every n-th conversion fails, and the metrics count it', async () => {
    const before = await callsOf(gotenberg);
    await setMode(gotenberg, { fail_every: 3 });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const response = await convert(gotenberg, { files: { 'index.html': html('x') } });
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses).toEqual([200, 200, 500, 200, 200, 500]);
    const after = await callsOf(gotenberg);
    expect(after.converted - before.converted).toBe(4);
    expect(after.failed - before.failed).toBe(2);
    expect(after.in_flight).toBe(0);
  });

  it('a hanging conversion gets no response, and the health check still gets one', async () => {
    await setMode(gotenberg, { hang: true });
    const form = new FormData();
    form.append('files', new Blob([html('x')]), 'index.html');
    const hanging = fetch(`${gotenberg.url}/forms/chromium/convert/html`, {
      method: 'POST',
      body: form,
      signal: AbortSignal.timeout(500),
    });
    await expect(hanging).rejects.toThrow(/aborted|timeout/i);
    const health = await fetch(`${gotenberg.url}/health`);
    expect(await health.json()).toMatchObject({ status: 'up', details: { chromium: { status: 'up' } } });
  });

  it('an invalid mode is rejected with its errors, and changes nothing', async () => {
    const refused = await setMode(gotenberg, { hang: 'yes', slow: 1 });
    expect(refused.status).toBe(400);
    const text = await refused.text();
    expect(text).toContain('hang must be true or false');
    expect(text).toContain('slow is unknown');
    const response = await convert(gotenberg, { files: { 'index.html': html('x') } });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });
});

it('the simulator stops with all of its processes while a conversion hangs', async () => {
  const mine = new Set(chromiumChildren());
  const stopping = await startGotenberg({ host: '127.0.0.1', port: 0, chromiumPath: chromium, pages: 1 });
  const started = chromiumChildren().filter((pid) => !mine.has(pid));
  expect(started).toHaveLength(1);
  await setMode(stopping, { hang: true });
  const hanging = convert(stopping, { files: { 'index.html': html('x') } }).catch(() => 'cut');
  await eventually('a document is being printed', async () => (await callsOf(stopping)).in_flight === 1);
  // The conversion would hang for half a minute, longer than this test may take.
  await stopping.close();
  await hanging;
  expect(chromiumChildren().filter((pid) => !mine.has(pid))).toEqual([]);
}, 20_000);

it('a Chromium that opens no page is replaced, also at start', async () => {
  const chromiumPath = unresponsiveAtFirst(folder, chromium);
  const late = await startGotenberg({ host: '127.0.0.1', port: 0, pages: 1, chromiumPath });
  try {
    const response = await convert(late, { files: { 'index.html': html('x') } });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  } finally {
    await late.close();
  }
}, 60_000);
