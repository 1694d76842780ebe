import { contrast, textContrastMin } from '@pinkas/domain';
import { defaultAccent, lightColors } from './design-tokens.js';
import { directions } from './direction.js';
import type { Language } from './language.js';
import { attributes, html, type Markup } from './markup.js';

/*
 * Emails: tables and inline styles, which are what mail programs understand. The colors are those of the light pages.
 */
const font = "font-family:Arial,'Helvetica Neue',Helvetica,sans-serif";
const { ink, soft, rule, paper } = lightColors;
const ground = '#f4f6f8';

/** The color of a business on an email. */
interface MessageLook {
  readonly accent?: string | null;
}

const accentOf = ({ accent }: MessageLook) => accent ?? defaultAccent;

/** The email as a complete HTML page: a card with the color of the business. */
export function messagePage(
  given: MessageLook & {
    readonly language: Language;
    readonly title: string;
    /** One or several parts, each in its language. */
    readonly content: Markup;
  },
): string {
  const { language, title, content } = given;
  const dir = directions[language];
  const body = `margin:0;padding:24px 12px;background:${ground};${font}`;
  const frame = [
    'max-width:560px;margin:0 auto',
    `background:${paper}`,
    `border:1px solid ${rule};border-top:4px solid ${accentOf(given)};border-radius:8px`,
  ].join(';');
  const outer = attributes({
    role: 'presentation',
    dir,
    align: 'center',
    width: '100%',
    cellpadding: 0,
    cellspacing: 0,
    style: frame,
  });
  const page = html`<html lang="${language}" dir="${dir}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>${title}</title>
</head>
<body dir="${dir}" style="${body}">
  <table${outer}>
    ${content}
  </table>
</body>
</html>
`;
  return `<!doctype html>\n${page.text}`;
}

/** A part of an email in its language. */
export function messagePart(language: Language, content: Markup): Markup {
  const dir = directions[language];
  const start = dir === 'rtl' ? 'right' : 'left';
  return html`<tr>
      <td lang="${language}" dir="${dir}" style="padding:28px 28px 8px;text-align:${start};${font}">
        ${content}
      </td>
    </tr>
    `;
}

const text = (size: number, line: number, color: string, after: number) =>
  `margin:0 0 ${after}px;font-size:${size}px;line-height:${line}px;color:${color}`;

/** The name at the top of an email. */
export function messageHeading(content: Markup | string): Markup {
  return html`<p style="${text(20, 28, ink, 16)};font-weight:bold">${content}</p>
        `;
}

/** A paragraph of an email. */
export function messageText(content: Markup | string): Markup {
  return html`<p style="${text(16, 24, ink, 12)}">${content}</p>
        `;
}

/** A paragraph for what matters less. */
export function messageNote(content: Markup | string): Markup {
  return html`<p style="${text(13, 20, soft, 20)}">${content}</p>
        `;
}

/** A fact of an email; `isStrong`: what its reader looks for. */
interface MessageFact {
  readonly name: string;
  readonly value: Markup | string;
  readonly isStrong?: boolean;
}

/** Facts in two columns. Values are on the right in both languages, so that the decimals of amounts are aligned. */
export function messageFacts(rows: readonly MessageFact[], language: Language): Markup {
  const start = directions[language] === 'rtl' ? 'right' : 'left';
  const nameStyle = `padding:6px 0;font-size:14px;color:${soft};text-align:${start}`;
  const valueStyle = [
    `padding:6px 0;padding-${start}:24px`,
    `font-size:16px;color:${ink};text-align:right;white-space:nowrap`,
  ].join(';');
  const cells = rows.map(
    ({ name, value, isStrong }) => html`<tr>
            <td style="${nameStyle}">${name}</td>
            <td style="${valueStyle}${isStrong === true && ';font-weight:bold'}"><bdi>${value}</bdi></td>
          </tr>
          `,
  );
  return html`<table dir="${directions[language]}" cellpadding="0" cellspacing="0" style="margin:8px 0 20px">
          ${cells}
        </table>
        `;
}

/** The one thing to press in an email. */
export function messageButton(address: string, label: string, look: MessageLook = {}): Markup {
  const accent = accentOf(look);
  const onAccent = contrast('#ffffff', accent) >= textContrastMin ? '#ffffff' : '#000000';
  const style = [
    'display:inline-block;padding:12px 24px;border-radius:6px',
    `background:${accent};color:${onAccent}`,
    'font-size:16px;text-decoration:none',
  ].join(';');
  return html`<p style="margin:0 0 20px">
          <a href="${address}" style="${style}">${label}</a>
        </p>
        `;
}
