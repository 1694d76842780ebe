import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addDays, dayInIsrael } from '@pinkas/domain';
import type { Browser } from 'playwright-core';
import { ConsoleVisitor, launchBrowser } from '../../../harness/console-visitor.js';
import type { RunningStack } from '../../../harness/running-stack.js';
import { account } from './accounting.js';
import { begin, dismissSteps } from './beginning.js';
import { collect } from './collecting.js';
import { Diary, look, narrow, wide } from './diary.js';
import { pagesAtTheEnd } from './pages.js';
import { leaveAndReturn } from './returning.js';
import { sell } from './selling.js';

/** On a machine that other programs use as well; a quiet one needs a tenth. */
const timeoutMs = 600_000;

/**
 * The first week of a new owner, in the order in which they live it: in Hebrew, each page wide and narrow. Its pages are read again at
 * its end in both languages and widths. What a page states of money is compared with a ledger that computes apart from the product.
 */
export function firstWeek(system: () => RunningStack): void {
  describe('the first week of an owner', () => {
    let browser: Browser;
    let diary: Diary;
    const today = dayInIsrael(new Date());
    beforeAll(async () => {
      browser = await launchBrowser();
      const issuer = await system().newIssuer({
        ...{ address: null, city: null, phone: null },
        tax_authority_connected: false,
        auto_send: { enabled: false, channel: 'email', quiet_hours: null },
      });
      diary = await Diary.begin(system(), browser, issuer);
    });
    afterAll(() => browser?.close());

    const days: readonly { day: string; live: () => Promise<void> }[] = [
      { day: 'from the invitation to a business that can issue', live: () => begin(diary) },
      {
        day: 'from the first quote to credit notes',
        live: () => sell(diary, `${addDays(`${today.slice(0, 7)}-01`, -1).slice(0, 7)}-15`),
      },
      { day: 'when the first steps are done', live: () => dismissSteps(diary) },
      { day: 'when customers pay and are reminded', live: () => collect(diary) },
      { day: 'after leaving and signing in again', live: () => leaveAndReturn(diary) },
      { day: 'when the accountant gets the files', live: () => account(diary, today.slice(0, 7)) },
    ];
    let lived = 0;
    it.each(days)(
      'every word, amount and page is right $day',
      async ({ live }) => {
        const day = days.findIndex((each) => each.live === live);
        // A day goes on from the one before.
        expect(lived).toBe(day);
        await live();
        expect(diary.owner.problems).toEqual([]);
        lived = day + 1;
      },
      timeoutMs,
    );

    it.each([wide, narrow, { ...wide, language: 'en' as const }, { ...narrow, language: 'en' as const }])(
      'its pages have the same amounts in $language at $width pixels, axe finds nothing, and nothing scrolls sideways',
      async (view) => {
        const visitor = await ConsoleVisitor.open(system(), browser, view);
        try {
          await visitor.signIn(diary.ownerEmail);
          for (const [path, read] of pagesAtTheEnd(diary)) {
            await visitor.visit(diary.at(path));
            await look(visitor, view.language, read);
          }
          expect(visitor.problems).toEqual([]);
        } finally {
          await visitor.close();
        }
      },
      timeoutMs,
    );
  });
}
