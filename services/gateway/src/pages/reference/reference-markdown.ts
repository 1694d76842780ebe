import { errorCatalogue } from '@pinkas/contracts';
import { guide, type OpenApiDocument } from '@pinkas/contracts/openapi';
import type { GuidePage } from '../guide-for.js';
import {
  type Described,
  described,
  type Field,
  fieldsOf,
  limitsOf,
  type Media,
  operationsOf,
  type PlacedOperation,
  parametersOf,
  type Schema,
  typeOf,
} from './reference-model.js';

const typeText = (schema: Schema) => typeOf(schema, (name) => name);
/** A text of several lines as a part of a list. */
const indented = (text: string) => text.replaceAll('\n', '\n  ');
/** A part below the headings that are here. A line of a program may begin with the same sign. */
const below = (text: string, levels: number) =>
  text.replaceAll(/^```[\s\S]*?^```|^#/gm, (found) => (found === '#' ? '#'.repeat(levels + 1) : found));

function fieldLine({ name, schema, isRequired, description = schema.description ?? '' }: Field): string {
  const facts = [typeText(schema), ...(isRequired ? ['required'] : []), limitsOf(schema.items ?? schema)];
  return indented(
    `- \`${name}\` (${facts.filter((fact) => fact !== '').join('; ')}) ${description}`.trimEnd(),
  );
}

function examplesOf({ examples = {} }: Media): string[] {
  return Object.entries(examples)
    .filter(([, { value }]) => value !== undefined)
    .map(
      ([name, { summary = name, value }]) =>
        `Example: ${summary}\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
    );
}

function operationPart(
  { path, method, operation }: PlacedOperation,
  components: Described['components'],
): string {
  const { summary, description, requestBody, responses } = operation;
  const parameters = parametersOf(operation, components).map(fieldLine);
  const [body] = Object.values(requestBody?.content ?? {});
  const answers = Object.entries(responses).map(([status, response]) => {
    const [media] = Object.values(response.content);
    const type = media && status < '300' ? ` ${typeText(media.schema)}.` : '';
    return indented(`- ${status}:${type}\n${response.description}`);
  });
  const [answer] = Object.entries(responses)
    .filter(([status]) => status < '300')
    .flatMap(([, { content }]) => Object.values(content));
  return [
    `### ${summary}: \`${method} ${path}\``,
    description,
    ...(parameters.length === 0 ? [] : [`Parameters:\n\n${parameters.join('\n')}`]),
    ...(body === undefined ? [] : [`Body: ${typeText(body.schema)}`, ...examplesOf(body)]),
    `Answers:\n\n${answers.join('\n')}`,
    ...(answer === undefined ? [] : examplesOf(answer)),
  ].join('\n\n');
}

function schemaPart([name, schema]: readonly [string, Schema]): string {
  const fields = fieldsOf(schema, {}).map(fieldLine);
  const limits = schema.enum === undefined ? [] : [limitsOf(schema)];
  const description = schema.description === undefined ? [] : [schema.description];
  return [`### ${name}`, ...description, ...limits, ...(fields.length === 0 ? [] : [fields.join('\n')])].join(
    '\n\n',
  );
}

function errorLines(): string {
  return Object.entries(errorCatalogue)
    .map(([code, entry]) => {
      const { httpStatus, retryable, message, hint = '' }: typeof entry & { hint?: string } = entry;
      const again = retryable ? 'send it again with the same key' : 'do not send it again unchanged';
      return `- \`${code}\` (${httpStatus}; ${again}) ${message} ${hint}`.trimEnd();
    })
    .join('\n');
}

/**
 * The complete documentation as one Markdown text, for a program that reads it: both guides, every operation with its examples, every
 * schema, every error, and the pages that the guide for developers links.
 * @param guidePages the guide for developers first, with its addresses filled in.
 */
export function referenceMarkdown(document: OpenApiDocument, guidePages: readonly GuidePage[]): string {
  const [developersGuide = '', ...others] = guidePages.map(({ text }) => below(text.trim(), 1));
  const api = described(document);
  const { servers, tags, webhooks, components } = api;
  const chapters = tags.flatMap(({ name, description }) => {
    const parts = operationsOf(api)
      .filter(({ operation }) => operation.tags.includes(name))
      .map((operation) => operationPart(operation, components));
    const events = Object.entries(webhooks)
      .filter(([, { post }]) => post.tags.includes(name))
      .map(([type, { post }]) => {
        const [body] = Object.values(post.requestBody?.content ?? {});
        return [`### \`${type}\``, post.summary, ...(body ? examplesOf(body) : [])].join('\n\n');
      });
    return [`## ${name}`, below(description, 2), ...parts, ...events];
  });
  return `${[
    '# Pinkas',
    `The API is at ${servers[0]?.url}.`,
    developersGuide,
    below(guide.replaceAll('$BASE_URL', servers[0]?.url ?? '').trim(), 1),
    ...chapters,
    '## Schemas',
    ...Object.entries(components.schemas).map(schemaPart),
    '## Errors',
    errorLines(),
    ...others,
  ].join('\n\n')}\n`;
}
