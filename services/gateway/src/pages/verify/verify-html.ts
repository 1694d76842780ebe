import { dayInIsrael, documentTypeRules } from '@pinkas/domain';
import {
  day,
  dayAndTime,
  directions,
  html,
  isolate,
  type Language,
  languages,
  leftToRight,
  type Markup,
} from '@pinkas/ui';
import { plainPage } from '../../http/plain-page.js';
import { fileField } from '../../http/uploads.js';
import type { Answer, CheckedDocument, CheckedFile } from './check-file.js';
import { verifyPath } from './verify-path.js';
import { verifyStyle } from './verify-style.js';
import { problems, verifyWords as texts, type Verdict, verdicts } from './verify-words.js';

/** The authority's own site, where the buyer of an invoice signs in and looks its number up. */
const authoritySite = 'https://www.gov.il/he/departments/israel_tax_authority';

interface Shown {
  readonly language: Language;
  /** Null: nothing was asked yet. */
  readonly answer: Answer | null;
  /** As it was typed. */
  readonly id: string;
  readonly viewUrlBase: string;
}

/** The page with its forms; an answer comes before them, in the language of the page and then in the other. */
export function verifyDocument(shown: Shown): string {
  const { language, answer } = shown;
  const other = languages.find((item) => item !== language) ?? language;
  const answers =
    answer &&
    html`${answerIn(language, answer, shown.viewUrlBase)}
<details lang="${other}" dir="${directions[other]}">
<summary>${texts.other[language]}</summary>
${answerIn(other, answer, shown.viewUrlBase)}
</details>`;
  const body = html`<main>
${heading(shown, other)}
${answers}
${forms(shown)}
</main>`;
  const title = answer
    ? `${verdictOf(answer).title[language]} – ${texts.title[language]}`
    : texts.title[language];
  return plainPage(title, verifyStyle, body, language);
}

function heading({ language, id }: Shown, other: Language): Markup {
  const query = new URLSearchParams({ ...(id !== '' && { id }), lang: other });
  return html`<header>
<h1>${texts.title[language]}</h1>
<a href="${verifyPath}?${query.toString()}" lang="${other}" hreflang="${other}">${texts.other[language]}</a>
</header>
<p class="lead">${texts.lead[language]}</p>`;
}

function forms({ language, id }: Shown): Markup {
  return html`<form method="post" action="${verifyPath}?lang=${language}" enctype="multipart/form-data">
<label for="file">${texts.file[language]}</label>
<small id="file-hint">${texts.fileHint[language]}</small>
<input id="file" type="file" name="${fileField}" accept="application/pdf,.pdf" aria-describedby="file-hint" required>
<button>${texts.check[language]}</button>
</form>
<form method="get" action="${verifyPath}">
<input type="hidden" name="lang" value="${language}">
<label for="id">${texts.id[language]}</label>
<small id="id-hint">${texts.idHint[language]}</small>
<input id="id" name="id" value="${id}" dir="ltr" maxlength="300" autocomplete="off" aria-describedby="id-hint" required>
<button class="second">${texts.checkId[language]}</button>
</form>`;
}

/** The first that applies. */
function verdictOf(answer: Answer): Verdict {
  if ('problem' in answer) {
    return problems[answer.problem];
  }
  const { document, file, revision, latestRevision } = answer;
  const isSound =
    document.record_intact &&
    document.in_sequence &&
    document.chain !== 'broken' &&
    (file === null || (file.reason === null && isInBook(answer, file)));
  const rows: readonly [boolean, Verdict][] = [
    [(file?.appendedBytes ?? 0) > 0, verdicts.appended],
    [!isSound, verdicts.doubtful],
    [document.mode === 'test', verdicts.test],
    [document.cancelled_at !== null, verdicts.cancelled],
    [document.credited === 'full', verdicts.credited],
    [file === null, verdicts.known],
    [revision < latestRevision, verdicts.earlier],
  ];
  return rows.find(([applies]) => applies)?.[1] ?? verdicts.genuine;
}

/** The book has the hash of the first revision. */
const isInBook = ({ document, revision }: CheckedDocument, { sha256 }: CheckedFile): boolean =>
  revision > 1 || document.artifact_sha256 === sha256;

function answerIn(language: Language, answer: Answer, viewUrlBase: string): Markup {
  const { tone, title, more } = verdictOf(answer);
  const facts = 'problem' in answer ? null : factsOf(language, answer, viewUrlBase);
  return html`<section class="answer">
<div class="verdict ${tone}">
<h2>${title[language]}</h2>
<p>${more[language]}</p>
</div>
${facts}
</section>`;
}

function factsOf(language: Language, answer: CheckedDocument, viewUrlBase: string): Markup {
  const { document, file } = answer;
  const { name, nameHe } = documentTypeRules[document.type];
  const type = language === 'he' ? nameHe : name;
  const number = leftToRight(String(document.number));
  const taxId = document.business_tax_id && html` · ${leftToRight(document.business_tax_id)}`;
  const rows: readonly [string, Markup][] = [
    [texts.document[language], html`${type} ${number}`],
    [texts.date[language], day(document.date, language)],
    [texts.business[language], html`${isolate(document.business_name, language)}${taxId}`],
    ...(file === null ? [] : fileRows(language, answer, file)),
    [
      texts.number[language],
      html`${number}, ${texts[document.in_sequence ? 'inSequence' : 'notInSequence'][language]}`,
    ],
    [texts.chain[language], chainText(language, answer)],
    [texts.allocation[language], allocationText(language, document.allocation_number)],
    [texts.state[language], stateText(language, document)],
  ];
  return html`<dl>
${rows.map(
  ([term, text]) => html`<dt>${term}</dt>
<dd>${text}</dd>
`,
)}</dl>
<p><a href="${viewUrlBase}/${document.public_id}?lang=${language}">${texts.page[language]}</a></p>`;
}

function fileRows(
  language: Language,
  { revision, latestRevision }: CheckedDocument,
  { signature, reason, sha256 }: CheckedFile,
): [string, Markup][] {
  const at = (instant: Date) => dayAndTime(instant.toISOString(), language);
  const stamp = signature?.timestamp
    ? html`; ${texts.timestamped[language]} ${at(signature.timestamp.at)}`
    : null;
  const signed = signature
    ? html`${texts.signedBy[language]} ${isolate(signature.subject, language)}; ${texts.signedAt[language]} ${at(signature.at)}${stamp}`
    : html`${texts.notValid[language]}: ${isolate(reason ?? '', 'en')}`;
  const which = revision < latestRevision ? 'laterOne' : 'current';
  return [
    [texts.signature[language], signed],
    [texts.revision[language], html`${leftToRight(String(revision))}, ${texts[which][language]}`],
    [texts.fileHash[language], html`<code dir="ltr">${sha256}</code>`],
  ];
}

const chainTexts = {
  followed: texts.followed,
  signed: texts.signedLater,
  not_yet: texts.notSignedYet,
  broken: texts.chainBroken,
} as const;

function chainText(language: Language, answer: CheckedDocument): Markup {
  const { document, file, revision, signedAt } = answer;
  const isFirst = revision === 1;
  const inBook =
    file && (isInBook(answer, file) ? texts[isFirst ? 'fileInChain' : 'firstInChain'] : texts.otherInBook);
  const link = document.record_intact ? chainTexts[document.chain] : texts.recordBroken;
  const when = signedAt && html` (${texts.endSigned[language]} ${dayAndTime(signedAt, language)})`;
  return html`${inBook && html`${inBook[language]}; `}${link[language]}${when}`;
}

function allocationText(language: Language, number: string | null): Markup {
  return number === null
    ? html`${texts.noAllocation[language]}`
    : html`${leftToRight(number)} · <a href="${authoritySite}" rel="noreferrer">${texts.authority[language]}</a>`;
}

const creditedTexts = {
  none: texts.inForce,
  part: texts.creditedInPart,
  full: texts.creditedInFull,
} as const;

function stateText(language: Language, { cancelled_at, credited }: CheckedDocument['document']): Markup {
  if (cancelled_at !== null) {
    return html`${texts.cancelled[language]} ${day(dayInIsrael(new Date(cancelled_at)), language)}`;
  }
  return html`${creditedTexts[credited][language]}`;
}
