import type { MemberRole } from '@pinkas/contracts';
import {
  html,
  isolate,
  type Language,
  languages,
  leftToRight,
  type Markup,
  messageButton,
  messageNote,
  messagePage,
  messagePart,
  messageText,
  plainText,
  type Words,
} from '@pinkas/ui';
import type { PackageFailure } from '../db/export.tables.js';
import type { PackageFormat, PackageKey } from '../files/months/package.repository.js';
import { packageContents, packageFailures, packageTitle } from '../files/months/package-words.js';
import { roleNames } from '../session/roles.js';
import { shownName } from './shown-name.js';

/** Where the links of a mail lead. */
interface NoticeAddresses {
  /** Signs in, once. */
  readonly link: string;
  /** Where another link can be asked for. */
  readonly signIn: string;
}

/** A mail that is not addressed yet. */
interface NoticeMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const texts = {
  signInSubject: { he: 'קישור כניסה לפנקס', en: 'Your link to sign in to Pinkas' },
  signInLead: {
    he: 'התבקש קישור כניסה לפנקס עבור הכתובת הזאת.',
    en: 'A link to sign in to Pinkas was requested for this address.',
  },
  limits: {
    he: 'הקישור פועל פעם אחת, במשך 15 דקות.',
    en: 'The link works once, for 15 minutes.',
  },
  ignore: {
    he: 'לא ביקשת להיכנס? אפשר להתעלם מההודעה. אין להעביר את הקישור לאחרים.',
    en: 'You did not ask to sign in? Ignore this message. Do not pass the link on.',
  },
  signInButton: { he: 'כניסה', en: 'Sign in' },
  invitationSubject: { he: 'הוזמנת לפנקס', en: 'You are invited to Pinkas' },
  invitationLead: { he: 'הוזמנת לעבוד בפנקס', en: 'You are invited to work in Pinkas' },
  invitedBy: { he: 'על ידי', en: 'by' },
  accept: { he: 'כניסה לעסק', en: 'Open the business' },
  invitationLimits: {
    he: 'הקישור אישי, ופועל פעם אחת במשך שלושה ימים.',
    en: 'The link is for you alone, and works once within three days.',
  },
  about: {
    he: 'פנקס הוא שירות להפקת חשבוניות וקבלות, ושולח את ההזמנה בשם העסק. אם ההזמנה אינה מוכרת לך, אפשר להתעלם ממנה.',
    en: 'Pinkas is a service for invoices and receipts, and sends this invitation on behalf of the business. If you did not expect it, you can ignore it.',
  },
  business: { he: 'העסק:', en: 'Business:' },
  asRole: { he: 'תפקיד:', en: 'Role:' },
  left: { he: 'עזיבה של עסק בפנקס', en: 'Somebody left a business in Pinkas' },
  leftLead: {
    he: 'לבעל הכתובת הזאת אין עוד הרשאה לעסק, לפי בקשתו:',
    en: 'At their own request, the person with this address may not use the business any more:',
  },
  leftMore: {
    he: 'המסמכים וההגדרות לא השתנו. מפתחות API שנוצרו בידי מי שעזב ממשיכים לפעול; אפשר לבטל אותם בדף החיבור.',
    en: 'Documents and settings have not changed. API keys that the person made go on working; revoke them on the page Connection settings.',
  },
  package: { he: 'קבצים לרואה החשבון', en: "Accountant's files" },
  packageLead: { he: 'הקבצים מוכנים:', en: 'The files are ready:' },
  packageMore: {
    he: 'הקישור מוביל לקבצים אחרי כניסה בכתובת הזאת; אפשר להוריד את כולם כקובץ ZIP אחד. הם נשמרים 35 ימים.',
    en: 'The link leads to the files after signing in with this address; all of them are downloaded as one ZIP. They are kept for 35 days.',
  },
  packageFailed: { he: 'הקבצים לרואה החשבון לא נשלחו', en: "The accountant's files were not sent" },
  packageFailedMore: {
    he: 'אפשר לתקן ולהכין אותם שוב בדף הקבצים.',
    en: 'Correct the cause and make them again on the page of the files.',
  },
  toFiles: { he: 'לקבצים', en: 'To the files' },
  people: { he: 'האנשים בעסק', en: 'People of the business' },
  later: {
    he: 'גם אחר כך נכנסים עם הכתובת הזאת, כאן:',
    en: 'Later as well, sign in with this address here:',
  },
} as const satisfies Record<string, Words>;

/** The subject is one line, however the name of a business is written. */
const singleLine = (text: string, max: number) =>
  plainText(text).replaceAll(/\s+/g, ' ').trim().slice(0, max);

/** The mail in both languages, that of its reader first. */
function bilingual(
  first: Language,
  subject: (language: Language) => string,
  section: (language: Language) => { text: string; html: Markup },
): NoticeMail {
  const order = [first, ...languages.filter((language) => language !== first)];
  const sections = order.map((language) => ({ language, ...section(language) }));
  const content = sections.map(({ language, html: part }) => messagePart(language, part));
  return {
    subject: singleLine(subject(first), 190),
    text: sections.map(({ text }) => text).join('\n\n————\n\n'),
    html: messagePage({
      language: first,
      title: subject(first),
      accent: noticeAccent,
      content: html`${content}`,
    }),
  };
}

const noticeAccent = '#1b57b8';
const button = (address: string, label: string) => messageButton(address, label, { accent: noticeAccent });

/** The business that a message is about; nothing where its name cannot be shown. */
function businessLine(name: string, language: Language): Markup | null {
  return name === ''
    ? null
    : messageText(html`${texts.business[language]} <strong>${isolate(name, language)}</strong>`);
}

/** The mail with a link that was asked for. */
export function signInMail(language: Language, { link }: NoticeAddresses): NoticeMail {
  return bilingual(
    language,
    (of) => texts.signInSubject[of],
    (of) => ({
      text: [texts.signInLead[of], link, texts.limits[of], texts.ignore[of]].join('\n\n'),
      html: html`${messageText(texts.signInLead[of])}
        ${button(link, texts.signInButton[of])}
        ${messageText(texts.limits[of])}
        ${messageNote(texts.ignore[of])}`,
    }),
  );
}

/** Who is invited to what, and by whom. */
export interface InvitedMember {
  readonly businessName: string;
  readonly role: MemberRole;
  /** The address of who has invited; null: the operator. */
  readonly inviter: string | null;
}

/** The mail to a person who was invited to a business. It begins with who invites: strangers get it as well. */
export function invitationMail(
  language: Language,
  { link, signIn }: NoticeAddresses,
  { businessName, role, inviter }: InvitedMember,
): NoticeMail {
  const name = shownName(businessName);
  return bilingual(
    language,
    (of) => (name === '' ? texts.invitationSubject[of] : `${texts.invitationSubject[of]}: ${name}`),
    (of) => {
      const as = `${texts.asRole[of]} ${roleNames[role][of]}.`;
      const by = inviter === null ? '' : ` ${texts.invitedBy[of]} ${inviter}`;
      const shownBy = inviter === null ? '' : html` ${texts.invitedBy[of]} ${leftToRight(inviter)}`;
      return {
        text: [
          `${texts.invitationLead[of]}${by}. ${as}`,
          ...(name === '' ? [] : [`${texts.business[of]} ${name}`]),
          link,
          texts.invitationLimits[of],
          `${texts.later[of]}\n${signIn}`,
          texts.about[of],
        ].join('\n\n'),
        html: html`${messageText(html`${texts.invitationLead[of]}${shownBy}. ${as}`)}
        ${businessLine(name, of)}
        ${button(link, texts.accept[of])}
        ${messageText(texts.invitationLimits[of])}
        ${messageNote(html`${texts.later[of]} <a href="${signIn}">${signIn}</a>`)}
        ${messageNote(texts.about[of])}`,
      };
    },
  );
}

/** The mail to an owner of a business that a person has left. */
export function departureMail(
  language: Language,
  people: string,
  { businessName, email }: { businessName: string; email: string },
): NoticeMail {
  // An owner may be a stranger that another one has named.
  const name = shownName(businessName);
  return bilingual(
    language,
    (of) => `${texts.left[of]}: ${email}`,
    (of) => ({
      text: [
        texts.leftLead[of],
        email,
        ...(name === '' ? [] : [`${texts.business[of]} ${name}`]),
        texts.leftMore[of],
        `${texts.people[of]}: ${people}`,
      ].join('\n\n'),
      html: html`${messageText(html`${texts.leftLead[of]} ${leftToRight(email)}`)}
        ${businessLine(name, of)}
        ${messageText(texts.leftMore[of])}
        ${messageText(html`<a href="${people}">${texts.people[of]}</a>`)}`,
    }),
  );
}

/** The period of the accountant's files, and whose they are. */
interface PackageOf extends Pick<PackageKey, 'month' | 'months'> {
  readonly businessName: string;
}

/** The mail to the accountant: the files of a period are ready. It names what is in them. */
export function packageMail(
  language: Language,
  files: string,
  { businessName, formats, ...period }: PackageOf & { readonly formats: readonly PackageFormat[] },
): NoticeMail {
  const name = shownName(businessName);
  const title = (of: Language) =>
    `${texts.package[of]}, ${packageTitle(period, of)}${name === '' ? '' : `: ${name}`}`;
  return bilingual(language, title, (of) => {
    const contents = formats.map((format) => packageContents[format][of]);
    const items = contents.map((content) => html`<li>${content}</li>`);
    return {
      text: [
        texts.packageLead[of],
        contents.map((content) => `- ${content}`).join('\n'),
        files,
        texts.packageMore[of],
      ].join('\n\n'),
      html: html`${messageText(`${texts.package[of]}, ${packageTitle(period, of)}`)}
        ${businessLine(name, of)}
        ${messageText(texts.packageLead[of])}
        <ul>${items}</ul>
        ${button(files, texts.toFiles[of])}
        ${messageNote(texts.packageMore[of])}`,
    };
  });
}

/** The mail to an owner: the accountant did not get the files of a period. */
export function packageFailedMail(
  language: Language,
  files: string,
  { businessName, failure, ...period }: PackageOf & { readonly failure: PackageFailure },
): NoticeMail {
  const name = shownName(businessName);
  const title = (of: Language) =>
    `${texts.packageFailed[of]}: ${packageTitle(period, of)}${name === '' ? '' : `, ${name}`}`;
  return bilingual(language, title, (of) => ({
    text: [title(of), packageFailures[failure][of], texts.packageFailedMore[of], files].join('\n\n'),
    html: html`${messageText(`${texts.packageFailed[of]}: ${packageTitle(period, of)}`)}
        ${messageText(packageFailures[failure][of])}
        ${messageText(texts.packageFailedMore[of])}
        ${button(files, texts.toFiles[of])}`,
  }));
}
