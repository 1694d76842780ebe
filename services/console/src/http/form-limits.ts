/** How much a form may hold. */
export interface FormLimits {
  readonly fields: number;
  readonly bytes: number;
}

/** What most forms may hold. */
export const usualForm: FormLimits = { fields: 200, bytes: 256 * 1024 };

/** A schema as its keywords; a form has no other kinds of them. */
interface Keywords {
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly items?: Keywords;
  readonly maxItems?: number;
  readonly maxLength?: number;
}

/** A code point has four bytes in UTF-8 at most, and a form writes each as `%F0`. */
const bytesOfCodePoint = 12;
/** A number, a date, an id or a choice, and the name of a field. */
const bytesOfOther = 100;

/** The limits of a form whose fields are named as the members of a schema: `customer.name`, `items.description`. */
export interface SchemaLimits extends FormLimits {
  /** How many code points a text may have. */
  readonly texts: Readonly<Record<string, number>>;
  /** How many rows a list may have. */
  readonly rows: Readonly<Record<string, number>>;
}

/** The limits of a form that fills in a schema. */
export function limitsOf(schema: object): SchemaLimits {
  const texts: Record<string, number> = {};
  const rows: Record<string, number> = {};
  const sizeOf = ({ properties, items, maxItems = 1, maxLength = 0 }: Keywords, path: string): FormLimits => {
    if (items) {
      rows[path] = maxItems;
      const row = sizeOf(items, path);
      return { fields: maxItems * row.fields, bytes: maxItems * row.bytes };
    }
    if (!properties) {
      if (maxLength > 0) {
        texts[path] = maxLength;
      }
      return { fields: 1, bytes: bytesOfOther + bytesOfCodePoint * maxLength };
    }
    const members = Object.entries(properties).map(([name, member]) =>
      sizeOf(member, path === '' ? name : `${path}.${name}`),
    );
    return {
      fields: members.reduce((sum, { fields }) => sum + fields, 0),
      bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  };
  const largest = sizeOf(schema as Keywords, '');
  // Twice as much arrives: what is too long or too many is shown with a reason, and fields of the form alone are among it.
  return { fields: 2 * largest.fields, bytes: 2 * largest.bytes, texts, rows };
}
