import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { Clean, Pointer } from 'typebox/value';
import { type Sentence, sentenceOf, sentences } from './error-sentences.js';

/** One error of a value: where it is, as a JSON Pointer, and what is wrong there. */
export interface ValidationError {
  path: string;
  message: string;
  /** The same in Hebrew; every error of the HTTP API has it. */
  message_he?: string;
}

/** How many errors are reported at most: more than a document has fields, while an arbitrary body has a bound. */
export const validationErrorsMax = 1_000;
// One validation error may be several errors of the schema.
Settings.Set({ maxErrors: 4 * validationErrorsMax });

/** The result of checking a value against a schema. */
export type Checked<T> = { ok: true; value: T } | { ok: false; errors: ValidationError[] };

/**
 * A check of a schema that reports every error. The schema is compiled once, by the first value: a service has fifty, which would be
 * a fifth of the work of its start, and uses few of them at once.
 */
export function compile<T extends TSchema>(schema: T): (value: unknown) => Checked<Static<T>> {
  let compiled: Validator | null = null;
  return (value) => {
    compiled ??= Compile(schema);
    return compiled.Check(value)
      ? { ok: true, value: value as Static<T> }
      : { ok: false, errors: toValidationErrors(compiled.Errors(value), value) };
  };
}

/**
 * Compiles a schema into a check of what another service has written: members that the schema does not name are dropped at
 * every depth, since a newer release may have written them (ADR 0018). Everything else is checked as by `compile`.
 */
export function compileTolerant<T extends TSchema>(schema: T): (value: unknown) => Checked<Static<T>> {
  const check = compile(schema);
  return (value) => {
    const checked = check(value);
    // Usually both sides are of one release and nothing has to be dropped.
    return checked.ok ? checked : check(Clean(schema, structuredClone(value)));
  };
}

interface SchemaError {
  keyword: string;
  instancePath: string;
  params: object;
}

/** The JSON Pointer of a member of the value at another pointer (RFC 6901). */
export function memberPointer(path: string, member: string): string {
  return `${path}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The errors of a part of a value, with their paths from the whole. */
export function prefixPaths(path: string, errors: readonly ValidationError[]): ValidationError[] {
  return errors.map((error) => ({ ...error, path: `${path}${error.path}` }));
}

/** A missing or unknown member is reported at the member's own pointer. */
function toValidationErrors(errors: readonly SchemaError[], value: unknown): ValidationError[] {
  const found = new Map<string, ValidationError>();
  const add = (path: string, what: Sentence) => {
    if (!found.has(path)) {
      found.set(path, { path, ...what });
    }
  };
  for (const { keyword, instancePath, params } of errors.filter((error) => !isNullBranch(error, errors))) {
    const { requiredProperties = [], additionalProperties = [] } = params as {
      requiredProperties?: string[];
      additionalProperties?: string[];
    };
    switch (keyword) {
      case 'required':
        for (const member of requiredProperties) {
          add(memberPointer(instancePath, member), sentences.required);
        }
        break;
      case 'additionalProperties':
        for (const member of additionalProperties) {
          add(memberPointer(instancePath, member), sentences.unknownField);
        }
        break;
      case 'anyOf':
      case 'boolean':
        // The branches of a union and the members of a closed object have errors of their own.
        break;
      default:
        add(instancePath, sentenceFor({ keyword, instancePath, params }, value));
    }
  }
  if (found.size === 0) {
    for (const { instancePath } of errors) {
      add(instancePath, sentences.invalid);
    }
  }
  return [...found.values()].slice(0, validationErrorsMax);
}

/** Whether an error states only that a value may also be null, while others state what is wrong with the one that it is. */
function isNullBranch(
  { keyword, instancePath, params }: SchemaError,
  errors: readonly SchemaError[],
): boolean {
  const takesNull = keyword === 'type' && (params as { type?: unknown }).type === 'null';
  return (
    takesNull &&
    errors.some(
      (other) => other.instancePath.startsWith(`${instancePath}/`) || isOfMember(other, instancePath),
    )
  );
}

/** Whether an error is about the members of the value at a path. */
const isOfMember = ({ keyword, instancePath }: SchemaError, path: string): boolean =>
  instancePath === path && (keyword === 'required' || keyword === 'additionalProperties');

function sentenceFor({ keyword, instancePath, params }: SchemaError, value: unknown): Sentence {
  const isNull = keyword === 'type' && Pointer.Get(value, instancePath) === null;
  return isNull ? sentences.isNull : sentenceOf(keyword, { ...params });
}
