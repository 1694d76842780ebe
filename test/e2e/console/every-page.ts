import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiKey, WebhookEndpoint } from '@pinkas/contracts';
import { axeFindings } from '../../harness/axe.js';
import { keepInvitation, saveDraft } from '../../harness/console-draft.js';
import { addressesOf, shownPages } from '../../harness/console-pages.js';
import { sendEachMonth, sendQuotes } from '../../harness/console-sending.js';
import type { ConsoleVisitor } from '../../harness/console-visitor.js';
import { desktop, phone } from '../../harness/console-visitor.js';
import { issueRefused } from '../../harness/refused-number.js';
import { sendRefusedRequest } from '../../harness/refused-request.js';
import { type Issuer, invoice, sendsMail } from '../../harness/running-stack.js';
import { makeUniformExport, transmitExport } from '../../harness/uniform-export.js';
import type { ConsoleSystem } from '../console.system.spec.js';

const narrowest = { width: 320, height: 640 };
/** A bound for a look at every page on a machine that other programs use as well. */
const tourMs = 600_000;

/** Ends what surrounds it in every way that a template has, and says so where it is run. */
const markup = (name: string) =>
  `${name} "><img src=x onerror=globalThis.attacked=1><script>attacked=1</script>`;

export function everyPage(system: () => ConsoleSystem): void {
  describe('every page', () => {
    let issuer: Issuer;
    /** Where the report of a donation is cancelled, and where that of an earlier one is made. */
    let donation: { business: string; cancel: string; report: string };
    let visible: Record<string, string>;
    /** What of a key no one may see who was not shown it. */
    let secret: string;
    beforeAll(async () => {
      const { stack } = system();
      issuer = await stack.newIssuer({
        ...sendsMail,
        name: markup('עסק'),
        default_notes: markup('הערה'),
        tax_authority_connected: true,
      });
      const { key } = await stack.pinkas<ApiKey & { key: string }>(
        ...['key', 'create', '--business', issuer.business.id, '--name', '<b>key</b>'],
      );
      const customer = { name: markup('לקוח'), tax_id: '777777723', email: 'customer@example.com' };
      const items = [{ description: markup('פריט'), quantity: 1, unit_price: 6_000 }];
      const paid = await issueRefused(stack, () =>
        stack.issueUntilAnswered(
          key,
          invoice(1, {
            type: 'tax_invoice_receipt',
            customer,
            items,
            external_ref: '<b>ref</b>',
            title: markup('כותרת'),
            notes: markup('הערה'),
            payments: [
              { method: 'check', amount: 7_000, check_number: '1', bank_code: 12, branch: '<b>1</b>' },
              { method: 'wallet_method_1', amount: 80, reference: '<b>reference</b>' },
            ],
          }),
        ),
      );
      await stack.issueUntilAnswered(
        key,
        invoice(1, {
          type: 'credit_note',
          customer: { id: paid.customer.id ?? '' },
          items: items.map((item) => ({ ...item, unit_price: 1 })),
          based_on: paid.id,
        }),
      );
      const bill = await stack.issueUntilAnswered(key, invoice(1, { customer, items }));
      const quote = await stack.issueUntilAnswered(key, invoice(1, { type: 'quote', customer, items }));
      const institution = await stack.newIssuer({
        ...sendsMail,
        name: markup('עמותה'),
        legal_type: 'amuta',
        tax_authority_connected: false,
        donation_approval: { number: '46-123', valid_until: null },
      });
      const donate = () =>
        stack.issueUntilAnswered(
          institution.key,
          invoice(100, { type: 'donation_receipt', customer, payments: [{ method: 'cash', amount: 100 }] }),
        );
      const early = await donate();
      await stack.changeBusiness(institution.business.id, { tax_authority_connected: true });
      const receipt = await donate();
      const documents = `/b/${institution.business.id}/documents`;
      donation = {
        business: institution.business.id,
        cancel: `${documents}/${receipt.id}/cancel-donation`,
        report: `${documents}/${early.id}/report-donation`,
      };
      // Nothing listens there: the log has attempts that failed.
      const { endpoint } = await stack.pinkas<{ endpoint: WebhookEndpoint }>(
        ...['webhook', 'create', 'http://127.0.0.1:65000/<b>x</b>', '--business', issuer.business.id],
        ...['--description', markup('כתובת')],
      );
      await stack.pinkas('webhook', 'test', endpoint.id);
      const keys = await stack.pinkas<ApiKey[]>('key', 'list', '--business', issuer.business.id);
      secret = key.split('_')[3] ?? '';
      expect(secret.length).toBeGreaterThan(20);
      // With a key in its body, where the log may not have one.
      const request = await sendRefusedRequest(stack, key, `${markup('בקשה')} ${key}`);
      visible = {
        '/documents/:id': paid.id,
        '/documents/:id/number': paid.id,
        '/documents/:id/report-donation': paid.id,
        '/documents/:id/refusal/:decision': `${paid.id}/refusal/object`,
        '/documents/:id/credit': bill.id,
        '/documents/:id/cancel': quote.id,
        '/documents/:id/set-offs': bill.id,
        '/documents/:id/withheld': bill.id,
        '/customers/:id': bill.customer.id ?? '',
        '/customers/:id/statement': bill.customer.id ?? '',
        '/customers/:id/statement/email': bill.customer.id ?? '',
        '/debts/:id/reminder': bill.customer.id ?? '',
        '/customers/:id/set-off': bill.customer.id ?? '',
        '/connection/webhooks/:id': endpoint.id,
        '/connection/webhooks/:id/rotate': endpoint.id,
        '/connection/webhooks/:id/remove': endpoint.id,
        '/connection/:id/revoke': keys[0]?.id ?? '',
        '/connection/requests/:id': request,
      };
    });

    /** Opens every page in the browser of a person who may open it. */
    const openAll = async (
      visitors: { owner: ConsoleVisitor & { email: string }; stranger: ConsoleVisitor },
      look: (visitor: ConsoleVisitor, address: string) => Promise<void>,
    ) => {
      const { owner, stranger } = visitors;
      const { stack } = system();
      const db = await stack.database<{
        person: { id: string; email: string };
        passkey: Record<string, unknown>;
      }>('console');
      const person = await db
        .selectFrom('person')
        .select('id')
        .where('email', '=', owner.email)
        .executeTakeFirstOrThrow();
      const passkey = randomUUID();
      await db
        .insertInto('passkey')
        .values({
          id: passkey,
          person_id: person.id,
          credential_id: randomUUID(),
          public_key: Buffer.alloc(1),
          counter: 0,
          transports: [],
          name: '<b>passkey</b>',
          created_at: new Date(),
          last_used_at: null,
        })
        .execute();
      // With two businesses, the head has a switch, and the first page lists them.
      await stack.pinkas('person', 'invite', owner.email, '--business', donation.business, '--role', 'owner');
      const { url } = await stack.pinkas<{ url: string }>('person', 'link', owner.email);
      await transmitExport(owner, issuer.business.id, await makeUniformExport(owner, issuer.business.id));
      const draft = await saveDraft(owner, issuer.business.id, markup('טיוטה'));
      await sendEachMonth(owner, issuer.business.id, person.id);
      const exported = await makeUniformExport(owner, issuer.business.id);
      const ids = {
        ...visible,
        '/forms/:form': await keepInvitation(stack, issuer.business.id, person.id),
        '/issue/drafts/:draft': draft,
        '/issue/drafts/:draft/confirm': draft,
        '/documents/sending/:id': await sendQuotes(owner, issuer.business.id),
        '/exports/:id/report': exported,
        '/exports/:id/transmission': exported,
        '/people/:person': person.id,
        '/account/passkeys/:passkey/remove': passkey,
        '/sign-in/link/:token': new URL(url).pathname.split('/').at(-1) ?? '',
      };
      const opened: string[] = [];
      for (const binding of shownPages) {
        const visitor = binding.path.startsWith('/sign-in') ? stranger : owner;
        for (const address of addressesOf(binding, issuer.business.id, ids)) {
          await visitor.visit(address);
          await look(visitor, address);
          opened.push(address);
        }
      }
      expect(opened.length).toBeGreaterThan(25);
      await owner.visit(donation.cancel);
      expect(await owner.page.locator('input[name=reason]').count()).toBe(1);
      await look(owner, 'the cancellation of the report of a donation');
      await owner.visit(donation.report);
      expect(await owner.page.locator('form[action$="/report-donation"]').count()).toBe(1);
      await look(owner, 'the report of an earlier donation');
      // What forms lead to.
      const root = `/b/${issuer.business.id}`;
      for (const [path, form] of [
        [`/documents/${visible['/documents/:id/credit']}/credit`, 'form[action$="/credit"]'],
        ['/authority', 'form[action$="/connect"]'],
        ['/connection/new', 'form[action$="/connection/new"]'],
      ] as const) {
        await owner.visit(`${root}${path}`);
        if (path === '/connection/new') {
          await owner.page.fill('input[name=name]', '<i>new</i>');
        }
        await owner.press(form);
        if (path === '/connection/new') {
          stack.recordPersonalData({ key: await owner.page.inputValue('#key-value') });
        }
        await look(owner, `what ${path} leads to`);
      }
      await owner.visit(`${root}/connection/requests/${visible['/connection/requests/:id']}`);
      await owner.press('form[action$="/open"]');
      await look(owner, 'a request whose body is opened');
      await owner.visit(`${root}/connection/requests?idempotency_key=${randomUUID()}&after=x`);
      await look(owner, 'an idempotency key without attempts');
      await owner.visit(`${root}/connection/requests/${randomUUID()}`, 404);
      await look(owner, 'a request that is not known');
      await owner.visit(`${root}/nowhere`, 404);
      await look(owner, 'a page that does not exist');
      await stranger.visit('/sign-in');
      await stranger.page.evaluate(`document.querySelector('form[action="/sign-in"]').noValidate = true`);
      await stranger.page.fill('#email', 'no address');
      await stranger.pressForStatus('form[action="/sign-in"]', 422);
      await stranger.page.waitForSelector('#email-error');
      await look(stranger, 'an address that is none');
      await stranger.visit('/sign-in/link/wrong', 410);
      await look(stranger, 'a link that is none');
    };

    it.each([phone, desktop])(
      'axe finds nothing in light and dark, and nothing is wider than 320 pixels, in $language',
      async (view) => {
        const { visitorOf, stranger } = system();
        const lenient = { ...view, withoutPolicy: true };
        const visitors = { owner: await visitorOf(issuer, lenient), stranger: await stranger(lenient) };
        await openAll(visitors, async (visitor, address) => {
          const light = await axeFindings(visitor.page);
          await visitor.page.emulateMedia({ colorScheme: 'dark' });
          const dark = await axeFindings(visitor.page, ['color-contrast']);
          await visitor.page.emulateMedia({ colorScheme: 'light' });
          await visitor.page.setViewportSize(narrowest);
          const overflow = await visitor.overflow();
          await visitor.page.setViewportSize({ width: view.width, height: view.height });
          expect({ address, light, dark, overflow }).toEqual({ address, light: [], dark: [], overflow: 0 });
        });
      },
      tourMs,
    );

    it(
      'stored names, notes and reasons never become markup, and no page violates its policy',
      async () => {
        const { visitorOf, stranger } = system();
        const visitors = { owner: await visitorOf(issuer, desktop), stranger: await stranger(desktop) };
        let shown = 0;
        await openAll(visitors, async (visitor, address) => {
          const found = await visitor.page.evaluate(`({
          attacked: globalThis.attacked ?? null,
          elements: document.querySelectorAll('[onerror], img, script:not([src]), main b, main i').length,
          texts: document.body.innerText.split('<script>').length - 1,
          hasKey: document.documentElement.outerHTML.includes(${JSON.stringify(secret)}),
        })`);
          const { texts, ...rest } = found as { texts: number; attacked: unknown; elements: number };
          shown += texts;
          expect({ address, ...rest }).toEqual({ address, attacked: null, elements: 0, hasKey: false });
        });
        // As text it is there, again and again.
        expect(shown).toBeGreaterThan(30);
      },
      tourMs,
    );
  });
}
