import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ConsoleVisitor, launchBrowser, type View } from '../harness/console-visitor.js';
import { type Issuer, RunningStack } from '../harness/running-stack.js';
import { access } from './console/access.js';
import { accountantFiles } from './console/accountant-files.js';
import { attention } from './console/attention.js';
import { debts } from './console/debts.js';
import { documents } from './console/documents.js';
import { everyPage } from './console/every-page.js';
import { issuingByHand } from './console/issuing.js';
import { settings } from './console/settings.js';
import { settlement } from './console/settlement.js';
import { withheld } from './console/withheld.js';
import { withoutScripts } from './console/without-scripts.js';

/** What the sections share: one system, one browser program, and people whose browsers end with their test. */
export interface ConsoleSystem {
  readonly stack: RunningStack;
  /** A person who is signed in, with a role in a business. */
  visitorOf(
    issuer: Issuer,
    view: View,
    role?: 'owner' | 'bookkeeper',
  ): Promise<ConsoleVisitor & { email: string }>;
  /** A browser in which no one is signed in. */
  stranger(view: View): Promise<ConsoleVisitor>;
}

/** One system for all sections; each makes its own businesses. */
describe('the console on the complete system', () => {
  let stack: RunningStack;
  let browser: Browser;
  let visitors: ConsoleVisitor[] = [];
  let people = 0;
  beforeAll(async () => {
    [stack, browser] = await Promise.all([RunningStack.start(), launchBrowser()]);
  });
  afterEach(async () => {
    const problems = visitors.flatMap((visitor) => visitor.problems);
    await Promise.all(visitors.map((visitor) => visitor.close()));
    visitors = [];
    // Errors of scripts, violations of the policy, and files that were not found.
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  const system = (): ConsoleSystem => {
    const stranger = async (view: View) => {
      const visitor = await ConsoleVisitor.open(stack, browser, view);
      visitors.push(visitor);
      return visitor;
    };
    return {
      stack,
      stranger,
      visitorOf: async ({ business }, view, role = 'owner') => {
        people += 1;
        const email = `person-${people}@pinkas.localhost`;
        await stack.pinkas('person', 'invite', email, '--business', business.id, '--role', role);
        const visitor = await stranger(view);
        await visitor.signIn(email);
        return Object.assign(visitor, { email });
      },
    };
  };
  access(system);
  attention(system);
  documents(system);
  issuingByHand(system);
  settlement(system);
  withheld(system);
  debts(system);
  settings(system);
  accountantFiles(system);
  withoutScripts(system);
  everyPage(system);
});
