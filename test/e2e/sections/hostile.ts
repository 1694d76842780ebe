import { describe, expect, it } from '@jest/globals';
import type { RunningStack } from '../../harness/running-stack.js';
import { sendHostile } from '../../hostile/send-hostile.js';
import { tourConsole } from '../../hostile/tour-console.js';

const requests = 3000;
/** Fixed, so that a failure can be repeated; `npm run hostile` sends more. */
const seed = 20260615;

export function hostile(system: () => RunningStack): void {
  describe('hostile requests', () => {
    it('every hostile request gets an error object and no 5xx, and callers are served afterwards', async () => {
      const issuer = await system().newIssuer();
      const { base_url } = await system().file();
      const report = await sendHostile({ baseUrl: base_url, key: issuer.key }, { count: requests, seed });
      expect(report.findings).toEqual([]);
      expect(report.requests).toBe(requests);
      expect(Object.keys(report.statuses)).toEqual(expect.arrayContaining(['400', '404', '429']));
      const other = await system().newIssuer();
      const { status } = await system().call(other.key, 'GET', '/me');
      expect(status).toBe(200);
    });

    it('hostile pages and forms of the console get no 5xx and nothing of another business, and change nothing when refused', async () => {
      const report = await tourConsole(system(), { count: 500, seed, forMs: 120_000 });
      expect(report.findings).toEqual([]);
      expect(report.requests).toBeGreaterThan(900);
      // The tour comes to no page that has their form: it signs in by no passkey, a test book sends nothing, and there is no endpoint,
      // draft, donation, money on account, accountant, failed month or uniform file.
      const known = [
        '/account/passkeys',
        '/account/passkeys/:passkey/remove',
        '/account/passkeys/:passkey/rename',
        '/account/passkeys/options',
        '/b/:business/connection/webhooks/:id/disable',
        '/b/:business/connection/webhooks/:id/enable',
        '/b/:business/connection/webhooks/:id/remove',
        '/b/:business/connection/webhooks/:id/resend',
        '/b/:business/connection/webhooks/:id/rotate',
        '/b/:business/connection/webhooks/:id/test',
        '/b/:business/customers/:id/set-off',
        '/b/:business/documents/:id/cancel-donation',
        '/b/:business/documents/:id/report-donation',
        '/b/:business/documents/:id/set-offs',
        '/b/:business/documents/:id/withheld',
        '/b/:business/documents/:id/withheld/remove',
        '/b/:business/documents/send',
        '/b/:business/documents/table',
        '/b/:business/exports/:id/transmission',
        '/b/:business/exports/monthly/again',
        '/b/:business/exports/monthly/now',
        '/b/:business/issue/document',
        '/b/:business/issue/drafts/:draft/discard',
        '/b/:business/issue/picture',
        '/sign-in/link/:token',
        '/sign-in/passkey',
        '/sign-in/passkey/options',
        '/t/:business/attention/dismiss',
        '/t/:business/connection/webhooks/:id/disable',
        '/t/:business/connection/webhooks/:id/enable',
        '/t/:business/connection/webhooks/:id/remove',
        '/t/:business/connection/webhooks/:id/resend',
        '/t/:business/connection/webhooks/:id/rotate',
        '/t/:business/connection/webhooks/:id/test',
        '/t/:business/customers/:id/set-off',
        '/t/:business/documents/:id/allocation',
        '/t/:business/documents/:id/cancel-donation',
        '/t/:business/documents/:id/refusal/:decision',
        '/t/:business/documents/:id/report-donation',
        '/t/:business/documents/:id/resend',
        '/t/:business/documents/:id/set-offs',
        '/t/:business/documents/:id/withheld',
        '/t/:business/documents/:id/withheld/remove',
        '/t/:business/documents/send',
        '/t/:business/documents/table',
        '/t/:business/first-steps/dismiss',
        '/t/:business/issue/document',
        '/t/:business/issue/drafts/:draft/discard',
        '/t/:business/issue/picture',
        '/t/:business/suppressions/remove',
      ];
      expect([...report.unseen].sort()).toEqual(known);
    }, 600_000);
  });
}
