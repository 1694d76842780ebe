import { createEndpoint, type EventType, eventTypes } from '@pinkas/contracts';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import {
  button,
  checkbox,
  type FieldErrors,
  type FieldRule,
  field,
  fieldErrors,
  form,
  html,
  lengthErrors,
  linkButton,
  notice,
  pageHead,
  readField,
  type Words,
} from '@pinkas/ui';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { crumbsOf, endpointsPath, secretPage } from './endpoint-parts.js';
import { eventWords, webhookWords } from './webhook-words.js';

const texts = {
  title: { he: 'כתובת חדשה', en: 'New endpoint' },
  create: { he: 'יצירת הכתובת', en: 'Create the endpoint' },
  created: { he: 'הכתובת נוצרה', en: 'The endpoint is created' },
  descriptionHint: { he: 'לא חובה. לדוגמה: החנות באתר', en: 'Optional. For example: web shop' },
  typesHint: {
    he: 'אם כולם מסומנים, יישלחו גם סוגים שיתווספו בעתיד.',
    en: 'If all are chosen, types of later releases are sent as well.',
  },
  badUrl: {
    he: 'כתובת מלאה ברשת הציבורית, שמתחילה ב-https://, עם יציאה 443 או 1024 עד 65535, בלי שם משתמש, סיסמה או #.',
    en: 'A complete public address that begins with https://, with the port 443 or one from 1024 to 65535, and no user name, password or #.',
  },
  badTypes: { he: 'יש לבחור לפחות סוג אחד.', en: 'Choose at least one type.' },
  badDescription: { he: 'עד 120 תווים.', en: 'At most 120 characters.' },
} as const satisfies Record<string, Words>;

/** A test is sent to an endpoint whatever its types. */
const choosableTypes = eventTypes.filter((type) => type !== 'endpoint.test');

/** What delivery refuses; a path that no other rule has is that of the book. */
const rules: readonly FieldRule[] = [
  { path: '/url', text: texts.badUrl },
  { path: '/description', text: texts.badDescription },
  { path: '/types', text: texts.badTypes },
  { path: '', field: 'form', text: webhookWords.full },
];

interface EndpointInput {
  readonly url: string;
  readonly description: string;
  readonly types: readonly EventType[];
}

function endpointForm(visit: MemberVisit, input: EndpointInput, errors: FieldErrors): PageReply {
  const { csrfToken, language, t, link } = visit;
  const boxes = choosableTypes.map((type) =>
    checkbox({
      name: 'types',
      value: type,
      label: t(eventWords[type]),
      hint: type,
      checked: input.types.includes(type),
    }),
  );
  const content = html`${field({
    name: 'url',
    label: t(webhookWords.url),
    hint: 'https://shop.example.com/pinkas',
    value: input.url,
    error: errors.url,
    required: true,
    ltr: true,
  })}
${field({
  name: 'description',
  label: t(webhookWords.description),
  hint: t(texts.descriptionHint),
  value: input.description,
  error: errors.description,
})}
<fieldset class="choices">
  <legend>${t(webhookWords.types)}</legend>
  <p class="hint">${t(texts.typesHint)}</p>
  ${boxes}
  ${errors.types ? html`<p class="error">${errors.types}</p>` : null}
</fieldset>`;
  const back = linkButton({ href: link(endpointsPath), text: t(words.back), kind: 'quiet' });
  return page(
    t(texts.title),
    html`${pageHead({ title: t(texts.title), language, crumbs: crumbsOf(visit) })}
${errors.form ? notice('error', errors.form) : null}
<section class="card">
  ${form({
    action: link(`${endpointsPath}/new`),
    csrfToken,
    content,
    acts: html`${button({ text: t(texts.create) })}${back}`,
  })}
</section>`,
    Object.keys(errors).length > 0 ? 422 : 200,
  );
}

/** A new endpoint of webhooks. */
@PageController({ path: `${endpointsPath}/new`, access: 'owner', books: true, freshProof: true })
export class NewEndpointPages {
  constructor(private readonly rpc: RpcClient) {}

  @ConsolePage({ method: 'GET', changes: 'settings' })
  async show(visit: MemberVisit): Promise<PageReply> {
    return endpointForm(visit, { url: '', description: '', types: choosableTypes }, {});
  }

  /** Creates an endpoint and shows its secret, this once. */
  @ConsolePage({ method: 'POST', changes: 'settings' })
  async create(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form: sent, language, session } = visit;
    const input: EndpointInput = {
      url: readField(sent, 'url'),
      description: readField(sent, 'description'),
      types: choosableTypes.filter((type) => sent.getAll('types').includes(type)),
    };
    const errors = inputErrors(input, language);
    if (Object.keys(errors).length > 0) {
      return endpointForm(visit, input, errors);
    }
    try {
      const created = await this.rpc.call(createEndpoint, {
        business_id: bookId,
        url: input.url,
        ...(input.types.length < choosableTypes.length && { types: [...input.types] }),
        ...(input.description !== '' && { description: input.description }),
        person_id: session.personId,
      });
      return secretPage(visit, texts.created[language], created);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'validation_error') {
        return endpointForm(visit, input, fieldErrors(error.details, { language, rules }));
      }
      throw error;
    }
  }
}

/** What the contract takes no request with. */
function inputErrors(
  { url, description, types }: EndpointInput,
  language: MemberVisit['language'],
): FieldErrors {
  return {
    ...((url === '' || url.length > 500) && { url: texts.badUrl[language] }),
    ...lengthErrors({ description }, { description: 120 }, language),
    ...(types.length === 0 && { types: texts.badTypes[language] }),
  };
}
