import { guide, type OpenApiDocument } from '@pinkas/contracts/openapi';
import { html, Markup } from '@pinkas/ui';
import { block, inline, slug } from './markdown.js';
import {
  type Described,
  described,
  type Field,
  fieldsOf,
  limitsOf,
  type Media,
  type Operation,
  operationsOf,
  type PlacedOperation,
  parametersOf,
  type Schema,
  typeOf,
} from './reference-model.js';

const linked = (name: string) => `[${name}](#schema/${name})`;
const typeMarkup = (schema: Schema) => inline(typeOf(schema, linked));

function fieldList(fields: readonly Field[], isRequest: boolean): Markup | null {
  const items = fields.map(({ name, schema, isRequired, description = schema.description }) => {
    const limits = limitsOf(schema.items ?? schema);
    const mark = isRequest && isRequired && html` <span class="mark">required</span>`;
    const optional = !isRequest && !isRequired && html` <span class="mark">may be absent</span>`;
    return html`<div>
<dt><code>${name}</code> <span class="more">${typeMarkup(schema)}</span>${mark}${optional}</dt>
<dd>${inline(description ?? '')}
${limits !== '' && html`<p class="more">${inline(limits)}</p>`}
</dd>
</div>
`;
  });
  return items.length === 0 ? null : html`<dl class="fields">${items}</dl>`;
}

function examplesOf({ examples = {} }: Media): Markup[] {
  return Object.entries(examples)
    .filter(([, { value }]) => value !== undefined)
    .map(([name, { summary = name, value }]) => {
      return html`<details>
<summary>Example: ${summary}</summary>
<pre>${JSON.stringify(value, null, 2)}</pre>
</details>
`;
    });
}

/** An answer; a code of an error links to its explanation. */
function responseOf(
  status: string,
  { description, content }: Operation['responses'][string],
  docsPath: string,
): Markup {
  const [media] = Object.values(content);
  const linked = block(description).text.replaceAll(
    /<li><code>(\w+)<\/code>/g,
    `<li><a href="${docsPath}/errors#$1"><code>$1</code></a>`,
  );
  const body =
    media &&
    status < '300' &&
    html`<p class="more">${typeMarkup(media.schema)}</p>
${examplesOf(media)}`;
  return html`<div>
<dt><code>${status}</code></dt>
<dd>
${new Markup(linked)}
${body || null}
</dd>
</div>
`;
}

function operationSection(
  { path, method, operation }: PlacedOperation,
  components: Described['components'],
  docsPath: string,
): Markup {
  const { operationId, summary, description, requestBody, responses } = operation;
  const parameters = parametersOf(operation, components);
  const [body] = Object.values(requestBody?.content ?? {});
  const parameterPart =
    parameters.length > 0 &&
    html`<h4>Parameters</h4>
${fieldList(parameters, true)}`;
  const bodyPart =
    body &&
    html`<h4>Body</h4>
<p>${typeMarkup(body.schema)}</p>
${examplesOf(body)}
<details>
<summary>Fields</summary>
${fieldList(fieldsOf(body.schema, components.schemas), true)}
</details>`;
  const answers = Object.entries(responses).map(([status, response]) =>
    responseOf(status, response, docsPath),
  );
  return html`<section id="operation/${operationId}">
<h3>
<a href="#operation/${operationId}">${summary}</a>
<code>${method} ${path}</code>
</h3>
${block(description)}
${parameterPart}
${bodyPart ?? null}
<h4>Answers</h4>
<dl class="fields">${answers}</dl>
</section>
`;
}

function schemaSection([name, schema]: readonly [string, Schema]): Markup {
  const isRequest = /Input$|^(Create|Cancel)Document$/.test(name);
  return html`<section id="schema/${name}">
<h3><a href="#schema/${name}">${name}</a> <span class="more">${typeMarkup(schema)}</span></h3>
${block(schema.description ?? '')}
${schema.enum !== undefined && html`<p>${inline(limitsOf(schema))}</p>`}
${fieldList(fieldsOf(schema, {}), isRequest)}
</section>
`;
}

/** What an endpoint gets for events of a type. */
function webhookSection([type, { post }]: readonly [string, { readonly post: Operation }]): Markup {
  const [body] = Object.values(post.requestBody?.content ?? {});
  return html`<section id="webhook/${type}">
<h3><a href="#webhook/${type}"><code>${type}</code></a></h3>
${block(post.summary)}
<p class="more">${body ? typeMarkup(body.schema) : null}</p>
${body ? examplesOf(body) : null}
</section>
`;
}

/** The links of one part of the contents. */
function contents(title: string, entries: readonly { readonly id: string; readonly text: string }[]): Markup {
  const links = entries.map(
    ({ id, text }) => html`<li><a href="#${id}">${text}</a></li>
`,
  );
  return html`<details>
<summary>${title}</summary>
<ul>${links}</ul>
</details>
`;
}

/** The complete reference: the guide, every operation with its examples, and every schema. Nothing of it needs a script. */
export function referenceBody(document: OpenApiDocument, docsPath: string): Markup {
  const api = described(document);
  const { servers, tags, webhooks, components } = api;
  const operations = operationsOf(api);
  const ofTag = (name: string) => operations.filter(({ operation }) => operation.tags.includes(name));
  const schemas = Object.entries(components.schemas);
  const parts = [...guide.matchAll(/^# (.*)$/gm)].map(([, title = '']) => title);
  const events = Object.entries(webhooks);
  const isOfWebhooks = (name: string) => events.some(([, { post }]) => post.tags.includes(name));
  const lists = [
    contents(
      'Guide',
      parts.map((text) => ({ id: `guide/${slug(text)}`, text })),
    ),
    ...tags.map(({ name }) => {
      const links = ofTag(name).map(({ operation: { operationId, summary } }) => ({
        id: `operation/${operationId}`,
        text: summary,
      }));
      const types = isOfWebhooks(name) ? events : [];
      return contents(name, [...links, ...types.map(([type]) => ({ id: `webhook/${type}`, text: type }))]);
    }),
    contents(
      'Schemas',
      schemas.map(([name]) => ({ id: `schema/${name}`, text: name })),
    ),
  ];
  const chapters = tags.map(({ name, description }) => {
    const sections = ofTag(name).map((operation) => operationSection(operation, components, docsPath));
    return html`<h2 id="chapter/${name}">${name}</h2>
${block(description)}
${sections}
${isOfWebhooks(name) && events.map(webhookSection)}
`;
  });
  return html`<div class="reference">
<nav aria-label="Contents">
${lists}
</nav>
<main>
<h1>Reference</h1>
${block(guide.replaceAll('$BASE_URL', servers[0]?.url ?? ''))}
${chapters}
<h2>Schemas</h2>
${schemas.map(schemaSection)}
</main>
</div>`;
}
