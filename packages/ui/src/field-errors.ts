import type { Language, Words } from './language.js';

/** What is wrong with a form, by the name of the field; what belongs to no field is below `form`. */
export type FieldErrors = Readonly<Record<string, string>>;

/** What a page states about a path of a contract; `*` is any one part, such as the place in a list. */
export interface FieldRule {
  readonly path: string;
  /** The field of the form; its `*` are those of the path. Without it, the field is named as the path: `items.0.price`. */
  readonly field?: string;
  readonly text?: Words;
}

const invalid: Words = { he: 'הערך אינו תקין.', en: 'This value is not valid.' };

/** The parts of a path that a rule leaves open; null where the rule does not match. A rule matches what is below its path too. */
function openParts(rule: string, path: string): string[] | null {
  const wanted = rule.split('/');
  const found = path.split('/');
  const matches = wanted.every((part, index) => part === '*' || part === found[index]);
  return matches && found.length >= wanted.length ? found.filter((_, index) => wanted[index] === '*') : null;
}

/**
 * The errors of the fields of a form, from the `details` of a `validation_error` of a contract.
 * @param details of the error: `errors`, each with a path such as `/change/email`.
 * @param given.below what the contract calls that which the form fills in, for example `/change`.
 * @param given.rules the first one that matches counts.
 */
export function fieldErrors(
  details: Readonly<Record<string, unknown>> | undefined,
  given: { readonly language: Language; readonly below?: string; readonly rules?: readonly FieldRule[] },
): FieldErrors {
  const { language, below = '', rules = [] } = given;
  const errors = (details?.errors ?? []) as readonly { readonly path: string }[];
  const found = errors.map(({ path }) => {
    const own = path.startsWith(below) ? path.slice(below.length) : path;
    for (const rule of rules) {
      const open = openParts(rule.path, own);
      if (open !== null) {
        const name = (rule.field ?? rule.path.slice(1).replaceAll('/', '.')).replaceAll(
          '*',
          () => open.shift() ?? '',
        );
        return [name, (rule.text ?? invalid)[language]] as const;
      }
    }
    return [own.slice(1).replaceAll('/', '.') || 'form', invalid[language]] as const;
  });
  // The first error of a field is the one to correct first.
  return Object.fromEntries([...found].reverse());
}
