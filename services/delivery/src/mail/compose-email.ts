import {
  fieldDirection,
  formatDay,
  fromShekels,
  isolatedText,
  type TextDirection,
  type TotalRowKind,
  toShekels,
} from '@pinkas/domain';
import {
  attributes,
  bankFacts,
  html,
  type Markup,
  messageButton,
  messageFacts,
  messageHeading,
  messageNote,
  messagePage,
  messagePart,
  messageText,
  paymentInstructionWords,
  totalWords,
  withheldWords,
} from '@pinkas/ui';
import type { DeliveryFacts, DeliveryPurpose } from '../db/delivery.tables.js';
import { type AllocationState, amountText, singleLine, typeName } from '../message/wording.js';
import { donationWordings, type Wording, wordings } from './email-wordings.js';
import { type NewsWording, newsOf } from './news-wording.js';

/** The picture of a business. */
export interface EmailLogo {
  /** A PNG file. */
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** By what the HTML names the logo that travels with it. */
export const logoContentId = 'logo@pinkas';

/** An email without its envelope and attachment. */
export interface Email {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The name of the attached PDF. */
  readonly fileName: string;
  readonly language: 'he' | 'en';
}

/** The row of a table of facts. */
export interface Row {
  readonly name: string;
  readonly value: string;
  /** The text that the reader looks for. */
  readonly isStrong?: boolean;
}

/** The figures from the lines to the total as on paper, and what is left to pay, and until when. */
function figureRows(facts: DeliveryFacts, balance: EmailOccasion['balance'], wording: Wording): Row[] {
  const { document } = facts;
  const { figures, due_date: dueDate, vat_rate: vatRate, discount_percent: percent } = document;
  if (figures === null) {
    return [];
  }
  const vatShown = figures.some(({ kind }) => kind === 'vat');
  const rates: Partial<Record<TotalRowKind, string>> = {
    lines: vatShown ? ` ${wording.withoutVat}` : '',
    discount: percent === null ? '' : ` ${percent}%`,
    vat: ` ${vatRate}%`,
  };
  return [
    ...figures.map(({ kind, amount }) => ({
      name: `${wording.figures[kind]}${rates[kind] ?? ''}`,
      value: amountText(amount, facts.business.language),
    })),
    ...balanceRows(facts, balance, wording),
    ...(dueDate !== null && isDue(balance)
      ? [{ name: wording.dueDate, value: formatDay(dueDate, facts.business.language) }]
      : []),
  ];
}

/** What is to be paid by its due date: also where it is not known how much of it is paid. */
const isDue = (balance: EmailOccasion['balance']): boolean =>
  balance === undefined || (balance !== null && balance > 0);

function balanceRows(
  { document: { total, withheld, due_date: dueDate }, business: { language } }: DeliveryFacts,
  balance: EmailOccasion['balance'],
  wording: Wording,
): Row[] {
  const row = (name: string, amount: number, isStrong = true) => ({
    name,
    value: amountText(amount, language),
    isStrong,
  });
  if (withheld !== undefined) {
    return [
      row(totalWords.receipt[language], total, false),
      row(withheldWords.withheld[language], withheld, false),
      row(withheldWords.settled[language], toShekels(fromShekels(total) + fromShekels(withheld))),
    ];
  }
  if (dueDate === null || balance === undefined || balance === null) {
    return [row(wording.total, total)];
  }
  if (balance === total) {
    return [row(wording.amountDue, total)];
  }
  return [
    row(wording.total, total, false),
    row(balance < 0 ? wording.inCredit : wording.balance, Math.abs(balance)),
  ];
}

/** The subjects of an email besides its document. */
export interface EmailOccasion {
  readonly purpose: DeliveryPurpose;
  readonly allocation: AllocationState;
  /** Whether it brings the allocation number to who got the document without it. */
  readonly isFollowUp: boolean;
  /** The logo that travels with it. */
  readonly logo: EmailLogo | null;
  /** ILS: what is left to pay of its document; null where nothing is asked for, undefined where it is not known. */
  readonly balance?: number | null | undefined;
}

/**
 * Composes the email of a document as text and HTML in the language of the business. The accountant's copy and a follow-up say what
 * they are.
 */
export function composeEmail(facts: DeliveryFacts, occasion: EmailOccasion, viewUrlBase: string): Email {
  const { document } = facts;
  const { language } = facts.business;
  const isDonation = document.type === 'donation_receipt';
  const wording = { ...wordings[language], ...(isDonation && donationWordings[language]) };
  const stated = newsOf(occasion.allocation, language);
  const news = occasion.isFollowUp ? (stated?.wording ?? null) : null;
  const type = typeName(facts);
  const name = singleLine(facts.business.name);
  const business = isolatedText(name, language);
  const customer = isolatedText(singleLine(document.customer_name), language);
  const { number, isPending } = occasion.allocation;
  const lines = {
    type,
    subject: subjectOf(wording, news, occasion)(type, document.number, business),
    opening: [
      ...openingOf(wording, news, occasion, { type, number: document.number, business, customer }),
      ...(isPending ? [wording.allocationPending] : []),
    ],
    rows: [
      { name: wording.number, value: String(document.number) },
      { name: wording.date, value: formatDay(document.date, language) },
      ...figureRows(facts, occasion.balance, wording),
      ...(number === null ? [] : [{ name: wording.allocationNumber, value: number, isStrong: true }]),
      ...(stated ? [{ name: stated.wording.row, value: stated.value, isStrong: true }] : []),
    ],
    payment:
      occasion.purpose === 'customer' && document.due_date !== null && isDue(occasion.balance)
        ? paymentOf(facts)
        : null,
    link: viewUrl(viewUrlBase, document.public_id),
    view: wording.view,
    closing: wording.attached,
    business: name,
    businessDirection: fieldDirection(name, language),
  };
  return {
    subject: lines.subject,
    text: toText(lines),
    html: toHtml(lines, language, lookOf(facts, occasion.logo)),
    fileName: `${`${type} ${document.number}`.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.pdf`,
    language,
  };
}

/** @param news of a follow-up that brings no number. */
function subjectOf(
  wording: Wording,
  news: NewsWording | null,
  { purpose, isFollowUp }: EmailOccasion,
): Wording['subject'] {
  if (news) {
    return purpose === 'accountant' ? news.accountantSubject : news.subject;
  }
  if (purpose === 'accountant') {
    return isFollowUp ? wording.accountantFollowUpSubject : wording.accountantSubject;
  }
  return isFollowUp ? wording.followUpSubject : wording.subject;
}

function openingOf(
  wording: Wording,
  news: NewsWording | null,
  { purpose, isFollowUp }: EmailOccasion,
  { type, number, business, customer }: { type: string; number: number; business: string; customer: string },
): string[] {
  if (news) {
    const greeting = purpose === 'accountant' ? [] : [wording.greeting(customer)];
    return [...greeting, news.intro(type, number, business), news.attached];
  }
  if (purpose === 'accountant') {
    return isFollowUp
      ? [wording.accountantFollowUpIntro(type, number, business, customer), wording.sameDocument]
      : [wording.accountantIntro(type, business, customer)];
  }
  return isFollowUp
    ? [wording.greeting(customer), wording.followUpIntro(type, number, business), wording.sameDocument]
    : [wording.greeting(customer), wording.intro(type, business)];
}

/** How to pay, for who is asked for money; null where the business does not state it. */
export function paymentOf({
  business: { language, payment_instructions: given },
}: DeliveryFacts): Lines['payment'] {
  return given === undefined
    ? null
    : {
        title: paymentInstructionWords.title[language],
        rows: bankFacts(given, language),
        link: given.link ?? null,
        pay: paymentInstructionWords.link[language],
      };
}

/** The page of a document. */
export const viewUrl = (viewUrlBase: string, publicId: string): string =>
  `${viewUrlBase}/${encodeURIComponent(publicId)}`;

/** The content of an email, in any form. */
export interface Lines {
  /** The title of the HTML. */
  readonly type: string;
  readonly opening: readonly string[];
  readonly rows: readonly Row[];
  /** How to pay: facts of a transfer, and a page of the owner's; null: it is not stated. */
  readonly payment: {
    readonly title: string;
    readonly rows: readonly Row[];
    readonly link: string | null;
    /** The words of the link. */
    readonly pay: string;
  } | null;
  /** Null: there is no page to view. */
  readonly link: string | null;
  /** The words of the link. */
  readonly view: string;
  /** Below the link; null: nothing. */
  readonly closing: string | null;
  readonly business: string;
  readonly businessDirection: TextDirection;
}

export function toText(lines: Lines): string {
  return [
    ...lines.opening,
    '',
    ...lines.rows.map(({ name, value }) => `${name}: ${value}`),
    '',
    ...paymentText(lines.payment),
    ...(lines.link === null ? [] : [`${lines.view}:`, lines.link, '']),
    ...(lines.closing === null ? [] : [lines.closing, '']),
    lines.business,
    '',
  ].join('\n');
}

function paymentText(payment: Lines['payment']): string[] {
  if (payment === null) {
    return [];
  }
  const { title, rows, link, pay } = payment;
  return [
    `${title}:`,
    ...rows.map(({ name, value }) => `${name}: ${value}`),
    ...(link === null ? [] : [`${pay}:`, link]),
    '',
  ];
}

function paymentHtml(payment: Lines['payment'], language: Email['language'], look: Look): Markup | null {
  if (payment === null) {
    return null;
  }
  const { title, rows, link, pay } = payment;
  return html`${messageText(html`<strong>${title}</strong>`)}
        ${rows.length === 0 ? null : messageFacts(rows, language)}
        ${link === null ? null : messageButton(link, pay, look)}`;
}

/** The color of an email, and the picture at its head. */
interface Look {
  readonly accent: string | null;
  readonly logo: EmailLogo | null;
}

/** The largest that a logo is shown, in pixels. */
const logoBox = { width: 200, height: 64 } as const;

export function lookOf({ business }: DeliveryFacts, logo: EmailLogo | null): Look {
  return { accent: business.accent_color ?? null, logo };
}

/** The name is below it in words, so it states nothing to those who do not see it. */
function logoPicture({ logo }: Look): Markup | null {
  if (logo === null) {
    return null;
  }
  const scale = Math.min(1, logoBox.width / logo.width, logoBox.height / logo.height);
  const [width, height] = [logo.width, logo.height].map((side) => Math.max(1, Math.round(side * scale)));
  const picture = attributes({
    src: `cid:${logoContentId}`,
    alt: '',
    width,
    height,
    style: 'display:inline-block;border:0',
  });
  return html`<p style="margin:0 0 14px">
          <img${picture}>
        </p>
        `;
}

/** The HTML of an email: its lines in a card with the color of the business. */
export function toHtml(lines: Lines, language: Email['language'], look: Look): string {
  const name = html`<bdi dir="${lines.businessDirection}">${lines.business}</bdi>`;
  const content = html`${logoPicture(look)}
        ${messageHeading(name)}
        ${lines.opening.map((text) => messageText(text))}
        ${messageFacts(lines.rows, language)}
        ${paymentHtml(lines.payment, language, look)}
        ${lines.link === null ? null : messageButton(lines.link, lines.view, look)}
        ${lines.closing === null ? null : messageNote(lines.closing)}`;
  const part = messagePart(language, content);
  return messagePage({ language, title: lines.type, accent: look.accent, content: part });
}
