import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { phone } from '../../harness/console-visitor.js';
import { invoice } from '../../harness/running-stack.js';
import type { ConsoleSystem } from '../console.system.spec.js';

const run = promisify(execFile);

export function accountantFiles(system: () => ConsoleSystem): void {
  describe('files for the accountant', () => {
    it('a bookkeeper downloads uniform files that are valid and as in the book', async () => {
      const { stack, visitorOf } = system();
      const issuer = await stack.newIssuer();
      for (const price of [100, 200]) {
        await stack.issueUntilAnswered(issuer.key, invoice(price));
      }
      const visitor = await visitorOf(issuer, phone, 'bookkeeper');
      const path = `/b/${issuer.business.id}/exports`;
      await visitor.visit(path);
      await visitor.press(`form[action="${path}"]`);
      // The page loads itself again until the file is ready.
      const link = visitor.page.locator('a[href$="/file"]');
      await link.waitFor();
      const [download] = await Promise.all([visitor.page.waitForEvent('download'), link.click()]);
      const home = await mkdtemp(join(tmpdir(), 'pinkas-console-export-'));
      try {
        const zip = join(home, download.suggestedFilename());
        await download.saveAs(zip);
        await run('unzip', ['-q', zip, '-d', join(home, 'files')]);
        const { stdout } = await run('find', [join(home, 'files'), '-iname', 'ini.txt']);
        const folder = join(stdout.trim(), '..');
        expect(await stack.pinkas('export', 'check', folder, '--against', issuer.business.id)).toMatchObject({
          ok: true,
          documents: 2,
          findings: [],
        });
      } finally {
        await rm(home, { recursive: true, force: true });
      }
      await visitor.visit(`/b/${issuer.business.id}/trail`);
      expect(await visitor.text()).toContain(visitor.email);
    });
  });
}
