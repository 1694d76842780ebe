import { expect } from '@jest/globals';
import type { DocumentDetail } from '@pinkas/contracts';
import { type DocumentType, documentTypeRules } from '@pinkas/domain';
import { eventually } from '@pinkas/testkit';
import type { Browser } from 'playwright-core';
import { axeFindings } from '../../../harness/axe.js';
import { ConsoleVisitor, type View } from '../../../harness/console-visitor.js';
import type { Issuer, MailSummary, RunningStack } from '../../../harness/running-stack.js';
import { type Agorot, Ledger, type Line, type Party, type Sums, shown, typed } from './ledger.js';

type Texts = { readonly he: string; readonly en: string };

/** The text of a page as a person reads it. */
export interface Read {
  readonly words?: readonly Texts[];
  readonly amounts?: readonly Agorot[];
  readonly absent?: readonly Texts[];
}

export const wide: View = { language: 'he', width: 1280, height: 900 };
export const narrow: View = { language: 'he', width: 390, height: 844 };

/** Who buys. Their tax ids have right check digits. */
export const customers = {
  regular: {
    name: 'לקוח קבוע לדוגמה',
    tax_id: '777777723',
    email: 'regular@first-week.example.com',
    city: 'חיפה',
  },
  occasional: {
    name: 'קונה מזדמנת',
    tax_id: '514713288',
    email: 'occasional@first-week.example.com',
    city: 'עכו',
  },
} as const satisfies Record<Party, object>;

/** Without the marks of direction, and with one space for many. */
const plain = (text: string) => text.replace(/[\u200e\u200f\u2066-\u2069]/g, '').replace(/\s+/g, ' ');

/** What can be pressed in a table, and is cut off by its edge. */
const cutOff = (visitor: ConsoleVisitor): Promise<unknown> =>
  visitor.page.evaluate(`[...document.querySelectorAll('.table :is(a, button)')].flatMap((act) => {
    const [{ left, right, width }, table] = [act, act.closest('.table')].map((each) => each.getBoundingClientRect());
    return width > 0 && (left < table.left - 1 || right > table.right + 1) ? [act.textContent.trim()] : [];
  })`);

/** Reads a page as a person does, and looks at what they would not see. */
export async function look(visitor: ConsoleVisitor, language: 'he' | 'en', read: Read): Promise<void> {
  const { page } = visitor;
  const at = visitor.path();
  const text = plain(await page.locator('main').innerText());
  const wanted = [
    ...(read.words ?? []).map((words) => plain(words[language])),
    ...(read.amounts ?? []).map(shown),
  ];
  expect({ at, text, missing: wanted.filter((each) => !text.includes(each)) }).toMatchObject({ missing: [] });
  const absent = (read.absent ?? []).map((words) => plain(words[language]));
  expect({ at, text, wrong: absent.filter((each) => text.includes(each)) }).toMatchObject({ wrong: [] });
  const axe = await axeFindings(page);
  expect({ at, axe, overflow: await visitor.overflow(), cutOff: await cutOff(visitor) }).toEqual({
    at,
    axe: [],
    overflow: 0,
    cutOff: [],
  });
}

/** The week of one owner: the browser, the business, and what was issued. */
export class Diary {
  readonly ledger = new Ledger();
  /** The documents of the week, by what they are in it. */
  readonly documents = new Map<string, DocumentDetail>();
  /** The card of a customer, once a document was issued to them. */
  readonly cards = new Map<Party, string>();

  private constructor(
    readonly stack: RunningStack,
    readonly browser: Browser,
    readonly issuer: Issuer,
    readonly owner: ConsoleVisitor,
    readonly ownerEmail: string,
  ) {}

  static async begin(stack: RunningStack, browser: Browser, issuer: Issuer): Promise<Diary> {
    stack.recordPersonalData(Object.values(customers));
    const owner = await ConsoleVisitor.open(stack, browser, wide);
    return new Diary(stack, browser, issuer, owner, `owner-${issuer.business.id}@pinkas.localhost`);
  }

  get page() {
    return this.owner.page;
  }

  /** The address of a page of the business. */
  at(path: string): string {
    return `/b/${this.issuer.business.id}${path}`;
  }

  /** Opens a page and reads it. */
  async open(path: string, read: Read = {}): Promise<void> {
    await this.owner.visit(this.at(path));
    await this.look(read);
  }

  /** Reads the page that is open, wide and narrow. */
  async look(read: Read): Promise<void> {
    await look(this.owner, 'he', read);
    await this.page.setViewportSize({ width: narrow.width, height: narrow.height });
    const { owner } = this;
    expect([owner.path(), await owner.overflow(), await cutOff(owner)]).toEqual([owner.path(), 0, []]);
    await this.page.setViewportSize({ width: wide.width, height: wide.height });
  }

  /** Presses a button that is a step of a form, and waits for its page. */
  async step(value: string): Promise<void> {
    await this.page.locator(`main form button[value="${value}"]:visible`).last().click();
    await this.page.waitForLoadState('load');
  }

  /** The document of the page that is open. */
  async #opened(): Promise<DocumentDetail> {
    const id = /\/documents\/([0-9a-f-]{36})/.exec(this.owner.path())?.[1] ?? '';
    return (await this.stack.call<DocumentDetail>(this.issuer.key, 'GET', `/documents/${id}`)).body;
  }

  document(name: string): DocumentDetail {
    const document = this.documents.get(name);
    if (!document) {
      throw new Error(`${name} was not issued`);
    }
    return document;
  }

  /**
   * Goes from a form to the question and from there to the document, and reads what each states.
   * @param name what the document is in the week.
   * @param asked what the question has to state, the sums of the document included.
   */
  async issue(name: string, asked: Read): Promise<DocumentDetail> {
    await this.step('preview');
    await this.look(asked);
    await this.step('issue');
    await this.page.waitForURL(/\/documents\/[0-9a-f-]{36}/);
    const document = await this.#opened();
    this.documents.set(name, document);
    return document;
  }

  /** The customer of a new document: from their card, or typed with all that a first document needs. */
  async #startFor(type: DocumentType, party: Party): Promise<void> {
    const card = this.cards.get(party);
    const query = card ? `&customer=${card}` : '';
    await this.owner.visit(this.at(`/issue/document?type=${type}${query}`));
    if (card) {
      return;
    }
    await this.page.fill('input[name="customer.name"]', customers[party].name);
    await this.page.click('#customer summary');
    for (const field of ['tax_id', 'email', 'city'] as const) {
      await this.page.fill(`input[name="customer.${field}"]`, customers[party][field]);
    }
  }

  /** Issues what is priced by lines, before VAT, as a person does from the form of its type. */
  async issueLines(
    name: string,
    type: DocumentType,
    party: Party,
    given: { readonly lines: readonly Line[]; readonly sums: Sums; readonly fill?: () => Promise<void> },
  ): Promise<DocumentDetail> {
    await this.#startFor(type, party);
    for (const [place, { quantity, price }] of given.lines.entries()) {
      if (place > 0) {
        await this.page.click('button[value="add_line"]');
      }
      await this.page.fill(`input[name="items.${place}.description"]`, `פריט ${place + 1}`);
      await this.page.fill(`input[name="items.${place}.quantity"]`, String(quantity));
      await this.page.fill(`input[name="items.${place}.unit_price"]`, typed(price));
    }
    await given.fill?.();
    const { net, vat, total } = given.sums;
    const document = await this.issue(name, {
      words: [nameOf(type)],
      amounts: [net, vat, total],
    });
    this.cards.set(party, document.customer.id ?? '');
    await this.look({ words: [nameOf(type)], amounts: [total] });
    return document;
  }

  /** The newest email to an address that has a text; it may take some seconds. */
  mail(address: string, text: string | RegExp): Promise<MailSummary> {
    return eventually(`an email to ${address} has ${text}`, async () => {
      const mails = await this.stack.mailsTo(address);
      return mails.find((mail) => plain(`${mail.subject} ${mail.text}`).search(text) >= 0);
    });
  }
}

/** The name of a type. */
export const nameOf = (type: DocumentType): Texts => ({
  he: documentTypeRules[type].nameHe,
  en: documentTypeRules[type].name,
});

/** The link of an email that signs its reader in. */
export const linkIn = ({ text }: MailSummary): string =>
  /http\S+\/sign-in\/link\/[\w-]+/.exec(text)?.[0] ?? '';
