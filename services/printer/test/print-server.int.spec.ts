import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as openRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { Chromium } from '../src/chromium.js';
import { chromiumProcesses } from './chromium-processes.js';
import {
  chromiumPath,
  convert,
  type Form,
  html,
  type PrinterUnderTest,
  pdfOf,
  print,
  startTested,
} from './printing.js';
import { unresponsiveAtFirst } from './unresponsive-chromium.js';

const heavy = html('<table>'.repeat(20) + '<tr><td>כבד</td></tr>'.repeat(300_000));
const slow = html('<p>עמוד</p>'.repeat(3_000));
/** Is printed for longer than it takes to find the process that prints it. */
const slower = html('<p>עמוד</p>'.repeat(9_000));

/** The value of a sample, 0 where there is none. */
async function sampleOf(printer: PrinterUnderTest, sample: string): Promise<number> {
  const line = (await printer.metrics()).split('\n').find((text) => text.startsWith(`${sample} `));
  return Number(line?.split(' ').pop() ?? 0);
}

const isPrinting = (printer: PrinterUnderTest, pages = 1) =>
  eventually('documents are being printed', async () => {
    return (await sampleOf(printer, 'pinkas_printer_pages{state="printing"}')) === pages;
  });

describe('a printer', () => {
  let printer: PrinterUnderTest;
  beforeAll(async () => {
    printer = await startTested();
  });
  afterAll(() => printer?.stop());

  it('concurrent conversions do not mix documents', async () => {
    const texts = await Promise.all(
      [7_001, 7_002, 7_003, 7_004, 7_005, 7_006].map(async (number) => {
        const { text } = await print(printer.url, { files: { 'index.html': html(`<p>מספר ${number}</p>`) } });
        return text.match(/\d{4}/g)?.join();
      }),
    );
    expect(texts).toEqual(['7001', '7002', '7003', '7004', '7005', '7006']);
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
      const { text } = await print(printer.url, {
        files: {
          'index.html': html(
            `<p>kept</p><script>document.body.append('scripted')</script><img src="x" onerror="document.body.append('scripted')">
             <img src="${there}/img"><link rel="stylesheet" href="${there}/css"><iframe src="${there}/frame"></iframe>
             <iframe sandbox srcdoc="<img src='${there}/sandboxed'>"></iframe>
             <link rel="preconnect" href="${there}"><object data="${there}/object"></object>
             <iframe src="file:///etc/passwd"></iframe><object data="file:///etc/passwd"></object>
             <svg><image href="${there}/svg"/><foreignObject><iframe src="FILE:///etc/passwd"></iframe></foreignObject></svg>`,
            `@import url(${there}/import); body { background: url(${there}/background) }`,
          ),
        },
      });
      expect(text).toContain('kept');
      expect(text).not.toContain('scripted');
      expect(text).not.toContain('root:');
      expect(reached).toBe(0);
    } finally {
      outside.close();
    }
  });

  it('a document that navigates the page is refused, and the next one is printed', async () => {
    const away = await convert(printer.url, {
      files: { 'index.html': '<meta http-equiv="refresh" content="0;url=about:blank"><p>gone' },
    });
    // The document may be printed before the page leaves it; it must never be printed as an empty page.
    if (away.status === 200) {
      expect((await pdfOf(away)).text).toContain('gone');
    } else {
      expect(away.status).toBe(503);
    }
    for (const n of [1, 2, 3]) {
      const { text } = await print(printer.url, { files: { 'index.html': html(`<p>הבא ${n}</p>`) } });
      expect(text).toContain(`הבא ${n}`);
    }
  });

  it('a request gets 429 at once when pages and queue are full, and the others are printed', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => convert(printer.url, { files: { 'index.html': slow } })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    // Two pages and four places in the queue, at least, are served.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    expect(await sampleOf(printer, 'pinkas_prints_total{outcome="rejected"}')).toBeGreaterThan(0);
  });

  it('a caller that disconnects leaves its page to the next document', async () => {
    const leaving = new AbortController();
    const left = convert(printer.url, { files: { 'index.html': heavy } }, leaving.signal);
    await isPrinting(printer);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await isPrinting(printer, 0);
    expect(await sampleOf(printer, 'pinkas_prints_total{outcome="abandoned"}')).toBe(1);
  });

  it('a killed Chromium costs the document that it prints one attempt, and is replaced', async () => {
    const { browsers } = chromiumProcesses();
    const before = convert(printer.url, { files: { 'index.html': slow } });
    await isPrinting(printer);
    expect(browsers).toHaveLength(1);
    process.kill(browsers[0] as number, 'SIGKILL');
    expect((await pdfOf(await before)).text).toContain('עמוד');
    const after = await print(printer.url, { files: { 'index.html': html('<p>אחרי</p>') } });
    expect(after.text).toContain('אחרי');
    expect(chromiumProcesses().browsers).not.toContain(browsers[0]);
    expect(await sampleOf(printer, 'pinkas_chromium_starts_total')).toBe(2);
  });

  it('a tab that crashes or hangs costs its document one attempt, and the other documents nothing', async () => {
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      const lost = async () => {
        const reasons = signal === 'SIGKILL' ? ['crashed', 'failed'] : ['hung'];
        const counts = reasons.map((reason) =>
          sampleOf(printer, `pinkas_printer_pages_closed_total{reason="${reason}"}`),
        );
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      };
      const lostBefore = await lost();
      const interrupted = print(printer.url, { files: { 'index.html': slower } });
      await isPrinting(printer);
      const busiest = await chromiumProcesses().busiestRenderer();
      process.kill(busiest, signal);
      // On the other page, while this one is held up.
      const other = await print(printer.url, { files: { 'index.html': html('<p>אחר</p>') } });
      expect(other.text).toContain('אחר');
      expect((await interrupted).text).toContain('עמוד');
      await eventually('the lost page is counted', async () => (await lost()) - lostBefore === 1);
      await eventually(
        'the stopped process has ended',
        () => !chromiumProcesses().renderers.includes(busiest),
      );
    }
  });

  it('the printer reports its versions, its sandbox and what it did', async () => {
    const health = await fetch(`${printer.url}/health`);
    expect(await health.json()).toEqual({
      status: 'up',
      details: {
        chromium: {
          status: 'up',
          timestamp: expect.any(String),
          version: expect.stringMatching(/^\d+(\.\d+){3}$/),
          sandbox: expect.any(Boolean),
        },
        fonts: expect.any(Object),
      },
    });
    expect(await printer.readyStatus()).toBe(200);
    expect(await sampleOf(printer, 'pinkas_ready')).toBe(1);
    expect(await sampleOf(printer, 'pinkas_print_duration_seconds_count{part="print"}')).toBeGreaterThan(5);
  });
});

describe('a printer with other bounds', () => {
  const withPrinter = async (
    change: Parameters<typeof startTested>[0],
    use: (printer: PrinterUnderTest) => Promise<void>,
  ) => {
    const printer = await startTested({ pages: 1, ...change });
    try {
      await use(printer);
    } finally {
      await printer.stop();
    }
  };
  const small: Form = { files: { 'index.html': html('<p>קל</p>') } };

  it('a printer with a password prints only for clients that have it, and reports to all of them whether it is up', () =>
    withPrinter({ basicAuthUsername: 'rendering', basicAuthPassword: 'secret' }, async ({ url }) => {
      const status = async (credentials: string) => {
        const response = await convert(url.replace('//', `//${credentials}`), small);
        await response.arrayBuffer();
        return response.status;
      };
      expect(await status('')).toBe(401);
      expect(await status('rendering:other@')).toBe(401);
      expect(await status('rendering:secret@')).toBe(200);
      expect((await fetch(`${url}/health`)).status).toBe(200);
    }));

  it('a document that exceeds its time gets 503, and the next one is printed', () =>
    withPrinter({ apiTimeoutMs: 2_000 }, async (printer) => {
      expect((await convert(printer.url, { files: { 'index.html': heavy } })).status).toBe(503);
      expect(await sampleOf(printer, 'pinkas_printer_pages_closed_total{reason="abandoned"}')).toBe(1);
      await eventually('it prints again', async () => (await convert(printer.url, small)).status === 200);
    }));

  it('a document that needs too much memory gets 400, and the next one is printed', () =>
    withPrinter({ pageMemoryMb: 64 }, async (printer) => {
      const refused = await convert(printer.url, { files: { 'index.html': heavy } });
      expect([refused.status, await refused.text()]).toEqual([
        400,
        'Chromium cannot print: the page needs more than 64 MB of memory',
      ]);
      await eventually('it prints again', async () => (await convert(printer.url, small)).status === 200);
    }));

  it('a Chromium that has grown beyond its memory is replaced without a failed document', () =>
    withPrinter({ chromiumMemoryMb: 1 }, async (printer) => {
      await eventually('another Chromium has started', async () => {
        expect((await convert(printer.url, small)).status).toBe(200);
        return (await sampleOf(printer, 'pinkas_chromium_starts_total')) > 1;
      });
    }));

  it('a request that is too large gets 413, whether it states it or not', () =>
    withPrinter({ requestBytesMax: 100_000 }, async ({ url }) => {
      const large: Form = { files: { 'index.html': 'x'.repeat(120_000) } };
      expect((await convert(url, large)).status).toBe(413);
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = { 'content-type': 'multipart/form-data; boundary=b' };
        const chunked = openRequest(
          `${url}/forms/chromium/convert/html`,
          { method: 'POST', headers },
          (answer) => {
            resolve(answer.statusCode);
            answer.resume();
          },
        );
        chunked.once('error', reject);
        chunked.write('--b\r\ncontent-disposition: form-data; name="files"; filename="index.html"\r\n\r\n');
        chunked.end('x'.repeat(120_000));
      });
      expect(status).toBe(413);
      expect((await convert(url, small)).status).toBe(200);
    }));

  it('a printer that gets SIGTERM finishes what it accepted, is not ready, and ends Chromium', async () => {
    const mine = new Set(chromiumProcesses().browsers);
    const printer = await startTested({ pages: 1, shutdownDelayMs: 5_000 });
    const last = convert(printer.url, { files: { 'index.html': slow } });
    await isPrinting(printer);
    const stopped = printer.stop();
    expect(await printer.readyStatus()).toBe(503);
    const late = await convert(printer.url, small);
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
    expect((await pdfOf(await last)).text).toContain('עמוד');
    await stopped;
    expect(chromiumProcesses().browsers.filter((pid) => !mine.has(pid))).toEqual([]);
    await expect(fetch(`${printer.url}/health`)).rejects.toThrow();
  });

  it('a Chromium that opens no page is replaced, also at start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'printer-test-'));
    try {
      await withPrinter({ chromiumPath: unresponsiveAtFirst(folder, chromiumPath) }, async ({ url }) => {
        expect((await convert(url, small)).status).toBe(200);
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('a printer that must have the sandbox does not start without it', async () => {
    const isRoot = process.getuid?.() === 0;
    // Chromium has no sandbox as root; another user has one where the kernel allows it.
    const start = Chromium.start({ path: chromiumPath, sandbox: 'required' }).then(
      async (chromium) => {
        const { isSandboxed } = chromium;
        await chromium.close();
        return isSandboxed;
      },
      (error: Error) => /sandbox/.test(error.message),
    );
    expect(await start).toBe(true);
    if (isRoot) {
      const open = await Chromium.start({ path: chromiumPath, sandbox: 'auto' });
      expect(open.isSandboxed).toBe(false);
      await open.close();
    }
  });
});
