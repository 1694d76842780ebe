import { guide, type OpenApiDocument } from '@pinkas/contracts/openapi';
import { html, join, Markup } from '@pinkas/ui';
import { block, inline, slug } from './markdown.js';

/** What a reference or a schema of the OpenAPI document has; it is our own, and checked by a linter. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { $ref?: string; summary?: string; value?: unknown }>>;
}
type Content = Readonly<Record<string, Media>>;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

interface Described {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const code = (value: unknown) =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
const nameOf = (ref: string) => ref.split('/').at(-1) ?? '';

/** A type in words, with a link to a schema that has a section of its own. */
function typeOf(schema: Schema): Markup {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return html`<a href="#schema/${name}">${name}</a>`;
  }
  if (schema.anyOf) {
    return join(schema.anyOf.map(typeOf), ' or ');
  }
  if (schema.const !== undefined) {
    return code(schema.const);
  }
  if (schema.items) {
    return html`array of ${typeOf(schema.items)}`;
  }
  const types = [schema.type ?? 'any'].flat().join(' or ');
  return html`${types}${schema.format !== undefined && html` (${schema.format})`}`;
}

/** What restricts a value, besides its type; null: nothing does. */
function limitsOf(schema: Schema): Markup | null {
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (least === undefined) {
      return most === undefined ? [] : [html`at most ${most} ${unit}`];
    }
    return [most === undefined ? html`at least ${least} ${unit}` : html`${least}–${most} ${unit}`];
  };
  const limits = [
    ...(schema.enum ? [join(schema.enum.map(code), ' ')] : []),
    ...range(schema.minLength, schema.maxLength, 'characters'),
    ...range(schema.minItems, schema.maxItems, 'items'),
    ...(schema.exclusiveMinimum === undefined ? [] : [html`above ${schema.exclusiveMinimum}`]),
    ...(schema.minimum === undefined ? [] : [html`at least ${schema.minimum}`]),
    ...(schema.maximum === undefined ? [] : [html`at most ${schema.maximum}`]),
    ...(schema.pattern === undefined ? [] : [code(schema.pattern)]),
    ...(schema.default === undefined ? [] : [html`default ${code(schema.default)}`]),
  ];
  return limits.length === 0 ? null : join(limits, ' · ');
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
}

/**
 * The fields of a schema and of the objects in it: `limits.per_minute`, `data[].id`.
 * @param named the schemas whose fields are shown as well where one of them is referred to.
 */
function fieldsOf(schema: Schema, named: Described['components']['schemas'], prefix = ''): Field[] {
  const resolved = (referring: Schema): Schema => ({ ...named[nameOf(referring.$ref ?? '')], ...referring });
  const object = resolved(schema);
  const inner = object.items ? resolved(object.items) : object;
  const own = object.items ? `${prefix}[]` : prefix;
  return Object.entries(inner.properties ?? {}).flatMap(([name, property]) => {
    const path = own === '' ? name : `${own}.${name}`;
    const isRequired = inner.required?.includes(name) ?? false;
    return [{ name: path, schema: resolved(property), isRequired }, ...fieldsOf(property, named, path)];
  });
}

function fieldList(fields: readonly Field[], isRequest: boolean): Markup | null {
  const items = fields.map(({ name, schema, isRequired, description = schema.description }) => {
    const limits = limitsOf(schema.items ?? schema);
    const mark = isRequest && isRequired && html` <span class="mark">required</span>`;
    const optional = !isRequest && !isRequired && html` <span class="mark">may be absent</span>`;
    return html`<div>
<dt>${code(name)} <span class="more">${typeOf(schema)}</span>${mark}${optional}</dt>
<dd>${inline(description ?? '')}
${limits && html`<p class="more">${limits}</p>`}
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
    html`<p class="more">${typeOf(media.schema)}</p>
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

interface PlacedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function operationSection(
  { path, method, operation }: PlacedOperation,
  { parameters: known, schemas }: Described['components'],
  docsPath: string,
): Markup {
  const { operationId, summary, description, requestBody, responses } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) => {
    const { $ref } = parameter;
    const given = $ref === undefined ? parameter : (known[nameOf($ref)] as Parameter);
    return {
      ...given,
      isRequired: given.required ?? false,
      description: `In the ${given.in}. ${given.description ?? ''}`,
    };
  });
  const [body] = Object.values(requestBody?.content ?? {});
  const parameterPart =
    parameters.length > 0 &&
    html`<h4>Parameters</h4>
${fieldList(parameters, true)}`;
  const bodyPart =
    body &&
    html`<h4>Body</h4>
<p>${typeOf(body.schema)}</p>
${examplesOf(body)}
<details>
<summary>Fields</summary>
${fieldList(fieldsOf(body.schema, schemas), true)}
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
<h3><a href="#schema/${name}">${name}</a> <span class="more">${typeOf(schema)}</span></h3>
${block(schema.description ?? '')}
${schema.enum !== undefined && html`<p>${limitsOf(schema)}</p>`}
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
<p class="more">${body ? typeOf(body.schema) : null}</p>
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
  const { servers, tags, paths, webhooks, components } = document as unknown as Described;
  const operations: PlacedOperation[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
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
