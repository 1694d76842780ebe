import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { Clean } from 'typebox/value';

/** One fault of a value: where it is, as a JSON Pointer, and what is wrong with it. */
export interface Fault {
  path: string;
  message: string;
}

/** How many faults are reported at the most: more than any document can have, while a body of rubbish has a bound. */
export const faultsMax = 1_000;
// One fault may be several errors of the schema.
Settings.Set({ maxErrors: 4 * faultsMax });

/** The outcome of holding a value against a schema. */
export type Checked<T> = { ok: true; value: T } | { ok: false; faults: Fault[] };

/** Compiles a schema once into a check that names every fault. */
export function compile<T extends TSchema>(schema: T): (value: unknown) => Checked<Static<T>> {
  const compiled = Compile(schema);
  return (value) =>
    compiled.Check(value)
      ? { ok: true, value: value as Static<T> }
      : { ok: false, faults: toFaults(compiled.Errors(value)) };
}

/**
 * Compiles a schema into a check of what another service has written: members that the schema does not name are dropped at
 * every depth, since a newer release may have written them (ADR 0018). Everything else is held as `compile` holds it.
 */
export function compileTolerant<T extends TSchema>(schema: T): (value: unknown) => Checked<Static<T>> {
  const check = compile(schema);
  return (value) => {
    const checked = check(value);
    // Mostly both sides are of one release, and nothing is to be dropped.
    return checked.ok ? checked : check(Clean(schema, structuredClone(value)));
  };
}

interface SchemaError {
  keyword: string;
  instancePath: string;
  message: string;
  params: object;
}

const escapePointer = (member: string): string => member.replaceAll('~', '~0').replaceAll('/', '~1');

/** A missing or unknown member is reported at the member's own pointer. */
function toFaults(errors: readonly SchemaError[]): Fault[] {
  const faults = new Map<string, Fault>();
  const add = (path: string, message: string) => {
    if (!faults.has(path)) faults.set(path, { path, message });
  };
  for (const error of errors) {
    const params = error.params as { requiredProperties?: string[]; additionalProperties?: string[] };
    switch (error.keyword) {
      case 'required':
        for (const member of params.requiredProperties ?? []) {
          add(`${error.instancePath}/${escapePointer(member)}`, 'is required');
        }
        break;
      case 'additionalProperties':
        for (const member of params.additionalProperties ?? []) {
          add(`${error.instancePath}/${escapePointer(member)}`, 'is not a known field');
        }
        break;
      case 'anyOf':
      case 'boolean':
        // The branches of a union and the members of a closed object speak for themselves.
        break;
      default:
        add(error.instancePath, error.message);
    }
  }
  if (faults.size === 0) for (const error of errors) add(error.instancePath, error.message);
  return [...faults.values()].slice(0, faultsMax);
}
