/** One environment variable: its name, its meaning, and how its text is parsed. */
export interface EnvField<T> {
  readonly name: string;
  /** One sentence for the operator. */
  readonly meaning: string;
  readonly example: string;
  /** The value when the variable is absent; undefined: it must be set. */
  readonly fallback: T | undefined;
  /** Its value must never be printed. */
  readonly secret: boolean;
  /** In production its address must have TLS, unless it is one of this machine. */
  readonly tls?: boolean;
  /** Returns the value, or throws an Error whose message says what is expected. */
  parse(text: string): T;
}

interface FieldOptions<T> {
  meaning: string;
  example: string;
  fallback?: T;
  secret?: boolean;
}

function field<T>(name: string, options: FieldOptions<T>, parse: (text: string) => T): EnvField<T> {
  return {
    name,
    meaning: options.meaning,
    example: options.example,
    fallback: options.fallback,
    secret: options.secret ?? false,
    parse,
  };
}

/** Any text that is not empty. */
export const text = (name: string, options: FieldOptions<string>): EnvField<string> =>
  field(name, options, (value) => value);

/** A whole number within bounds. */
export const integer = (
  name: string,
  options: FieldOptions<number> & { min: number; max: number },
): EnvField<number> =>
  field(name, options, (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < options.min || number > options.max) {
      throw new Error(`expected a whole number from ${options.min} to ${options.max}`);
    }
    return number;
  });

/** A number from 0 to 1. */
export const share = (name: string, options: FieldOptions<number>): EnvField<number> =>
  field(name, options, (value) => {
    const number = Number(value);
    if (!(number >= 0 && number <= 1)) {
      throw new Error('expected a number from 0 to 1');
    }
    return number;
  });

/** `true` or `false`. */
export const flag = (name: string, options: FieldOptions<boolean>): EnvField<boolean> =>
  field(name, options, (value) => {
    if (value !== 'true' && value !== 'false') {
      throw new Error('expected true or false');
    }
    return value === 'true';
  });

/** One of some words. */
export const choice = <const Value extends string>(
  name: string,
  options: FieldOptions<NoInfer<Value>> & { values: readonly Value[] },
): EnvField<Value> =>
  field<Value>(name, options, (value) => {
    const found = options.values.find((word) => word === value);
    if (found === undefined) {
      throw new Error(`expected ${options.values.join(' or ')}`);
    }
    return found;
  });

/** A URL of one of the protocols, without a slash at its end. */
export const url = (
  name: string,
  options: FieldOptions<string> & { protocols: readonly string[]; tls?: boolean },
): EnvField<string> => ({
  tls: options.tls ?? false,
  ...field(name, options, (value) => {
    const expected = `expected a URL that starts with ${options.protocols.map((p) => `${p}//`).join(' or ')}`;
    let parsed: URL;
    try {
      parsed = new URL(value);
    } catch {
      throw new Error(expected);
    }
    if (!options.protocols.includes(parsed.protocol)) {
      throw new Error(expected);
    }
    return value.replace(/\/+$/, '');
  }),
});

/** Whether a URL leads to this machine: what is sent there passes no network. */
export const isOnThisMachine = (address: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);

/** So many bytes, written in hex. */
export const hexBytes = (name: string, options: FieldOptions<Buffer> & { bytes: number }): EnvField<Buffer> =>
  field(name, options, (value) => {
    if (!new RegExp(`^[0-9a-fA-F]{${options.bytes * 2}}$`).test(value)) {
      throw new Error(`expected ${options.bytes} bytes in hex (${options.bytes * 2} digits)`);
    }
    return Buffer.from(value, 'hex');
  });
