import type { OpenApiDocument } from '@pinkas/contracts/openapi';
import { escapeHtml } from '@pinkas/ui';
import { Marked } from 'marked';

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
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const slug = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** The parts of the guide stand below the heading of the page. */
const markdown = new Marked({
  walkTokens: (token) => {
    if (token.type === 'heading') {
      token.depth += 1;
    }
  },
  renderer: {
    heading(token) {
      const name = `h${token.depth}`;
      return `<${name} id="guide/${slug(token.text)}">${this.parser.parseInline(token.tokens)}</${name}>\n`;
    },
    html: ({ text }) => escapeHtml(text),
  },
});
const block = (text: string) => markdown.parse(text, { async: false });
const inline = (text: string) => markdown.parseInline(text, { async: false });

const code = (value: unknown) =>
  `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
const nameOf = (ref: string) => ref.split('/').at(-1) ?? '';

/** A type in words, with a link to a schema that has a section of its own. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return `<a href="#schema/${name}">${name}</a>`;
  }
  if (schema.anyOf) {
    return schema.anyOf.map(typeOf).join(' or ');
  }
  if (schema.const !== undefined) {
    return code(schema.const);
  }
  if (schema.items) {
    return `array of ${typeOf(schema.items)}`;
  }
  const types = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format === undefined ? types : `${types} (${escapeHtml(schema.format)})`;
}

/** What restricts a value, besides its type. */
function limitsOf(schema: Schema): string {
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (least === undefined) {
      return most === undefined ? [] : [`at most ${most} ${unit}`];
    }
    return [most === undefined ? `at least ${least} ${unit}` : `${least}–${most} ${unit}`];
  };
  return [
    ...(schema.enum ? [schema.enum.map(code).join(' ')] : []),
    ...range(schema.minLength, schema.maxLength, 'characters'),
    ...range(schema.minItems, schema.maxItems, 'items'),
    ...(schema.exclusiveMinimum === undefined ? [] : [`above ${schema.exclusiveMinimum}`]),
    ...(schema.minimum === undefined ? [] : [`at least ${schema.minimum}`]),
    ...(schema.maximum === undefined ? [] : [`at most ${schema.maximum}`]),
    ...(schema.pattern === undefined ? [] : [code(schema.pattern)]),
    ...(schema.default === undefined ? [] : [`default ${code(schema.default)}`]),
  ].join(' · ');
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
}

/** The fields of a schema and of the objects in it: `limits.per_minute`, `data[].id`. */
function fieldsOf(schema: Schema, prefix = ''): Field[] {
  const inner = schema.items ?? schema;
  const own = schema.items ? `${prefix}[]` : prefix;
  return Object.entries(inner.properties ?? {}).flatMap(([name, property]) => {
    const path = own === '' ? name : `${own}.${name}`;
    const isRequired = inner.required?.includes(name) ?? false;
    return [{ name: path, schema: property, isRequired }, ...fieldsOf(property, path)];
  });
}

function fieldList(fields: readonly Field[], isRequest: boolean): string {
  const items = fields.map(({ name, schema, isRequired, description = schema.description }) => {
    const limits = limitsOf(schema.items ?? schema);
    const mark = isRequest && isRequired ? ' <span class="mark">required</span>' : '';
    const optional = !isRequest && !isRequired ? ' <span class="mark">may be absent</span>' : '';
    return `<div>
<dt>${code(name)} <span class="more">${typeOf(schema)}</span>${mark}${optional}</dt>
<dd>${inline(description ?? '')}
${limits && `<p class="more">${limits}</p>`}
</dd>
</div>`;
  });
  return items.length === 0 ? '' : `<dl class="fields">${items.join('\n')}</dl>`;
}

function examplesOf({ examples = {} }: Media): string {
  return Object.entries(examples)
    .filter(([, { value }]) => value !== undefined)
    .map(
      ([name, { summary = name, value }]) =>
        `<details>
<summary>Example: ${escapeHtml(summary)}</summary>
<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>
</details>`,
    )
    .join('\n');
}

/** An answer; a code of an error links to its explanation. */
function responseOf(
  status: string,
  { description, content }: Operation['responses'][string],
  docsPath: string,
): string {
  const [media] = Object.values(content);
  const linked = block(description).replaceAll(
    /<li><code>(\w+)<\/code>/g,
    `<li><a href="${docsPath}/errors#$1"><code>$1</code></a>`,
  );
  const body =
    media && status < '300' ? `<p class="more">${typeOf(media.schema)}</p>${examplesOf(media)}` : '';
  return `<div>
<dt><code>${status}</code></dt>
<dd>${linked}${body}</dd>
</div>`;
}

/** The complete reference: the guide, every operation with its examples, and every schema. Nothing of it needs a script. */
export function referenceHtml(document: OpenApiDocument, docsPath: string): string {
  const { info, tags, paths, components } = document as unknown as Described;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const section = ({ path, method, operation }: (typeof operations)[number]) => {
    const parameters = (operation.parameters ?? []).map((parameter) =>
      parameter.$ref === undefined ? parameter : (components.parameters[nameOf(parameter.$ref)] as Parameter),
    );
    const [body] = Object.values(operation.requestBody?.content ?? {});
    return `<section id="operation/${operation.operationId}">
<h3>
<a href="#operation/${operation.operationId}">${escapeHtml(operation.summary)}</a>
<code>${method} ${escapeHtml(path)}</code>
</h3>
${block(operation.description)}
${
  parameters.length === 0
    ? ''
    : `<h4>Parameters</h4>${fieldList(
        parameters.map(({ name, in: place, schema, required = false, description }) => ({
          name,
          schema,
          isRequired: required,
          description: `In the ${place}. ${description ?? ''}`,
        })),
        true,
      )}`
}
${
  body
    ? `<h4>Body</h4>
<p>${typeOf(body.schema)}</p>${examplesOf(body)}`
    : ''
}
<h4>Answers</h4>
<dl class="fields">${Object.entries(operation.responses)
      .map(([status, response]) => responseOf(status, response, docsPath))
      .join('\n')}</dl>
</section>`;
  };
  const isRequest = (name: string) => /Input$|^(Create|Cancel)Document$/.test(name);
  const schemas = Object.entries(components.schemas);
  const guide = [...info.description.matchAll(/^# (.*)$/gm)].map(([, title = '']) => title);
  const link = (id: string, text: string) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`;
  return `<div class="reference">
<nav aria-label="Contents">
<p>Guide</p>
<ul>${guide.map((title) => link(`guide/${slug(title)}`, title)).join('')}</ul>
${tags
  .map(
    ({ name }) =>
      `<p>${name}</p>
<ul>${operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ operation }) => link(`operation/${operation.operationId}`, operation.summary))
        .join('')}</ul>`,
  )
  .join('\n')}
<p>Schemas</p>
<ul>${schemas.map(([name]) => link(`schema/${name}`, name)).join('')}</ul>
</nav>
<main>
<h1>Reference</h1>
${block(info.description)}
${tags
  .map(
    ({ name, description }) =>
      `<h2>${name}</h2>
<p>${escapeHtml(description)}</p>${operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(section)
        .join('\n')}`,
  )
  .join('\n')}
<h2>Schemas</h2>
${schemas
  .map(
    ([name, schema]) =>
      `<section id="schema/${name}">
<h3><a href="#schema/${name}">${name}</a> <span class="more">${typeOf(schema)}</span></h3>
${block(schema.description ?? '')}
${schema.enum ? `<p>${limitsOf(schema)}</p>` : ''}
${fieldList(fieldsOf(schema), isRequest(name))}
</section>`,
  )
  .join('\n')}
</main></div>`;
}
