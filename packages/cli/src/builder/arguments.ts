import { isUuid } from '@pinkas/contracts';
import { isCalendarDate, modes } from '@pinkas/domain';
import { UsageError } from './usage-error.js';

/**
 * What the text of an argument or option must be. An object, since the compiler infers nothing of a verb's values from a generic
 * function that returns a function.
 */
export interface Kind<T> {
  /** @param name what the message calls it. @throws UsageError that states what is right. */
  read(text: string, name: string): T;
}

export const anyText: Kind<string> = { read: (text) => text };

/** A UUID. @param where the command that lists the ids. */
export const idFrom = (where: string): Kind<string> => ({
  read: (text) => {
    if (!isUuid(text)) {
      throw new UsageError(`"${text}" is not an id: pinkas ${where} shows them`);
    }
    return text;
  },
});

export const businessId = idFrom('business list');

/** A UUID that no command lists. */
export const uuid: Kind<string> = {
  read: (text) => {
    if (!isUuid(text)) {
      throw new UsageError(`"${text}" is not a UUID`);
    }
    return text;
  },
};

/** A number without sign and fraction. */
export const count: Kind<number> = {
  read: (text, name) => {
    if (!/^\d{1,9}$/.test(text)) {
      throw new UsageError(`--${name} takes a whole number, not "${text}"`);
    }
    return Number(text);
  },
};

/** One of some words. @param separator what is between them in the message. */
export const oneOf = <W extends string>(words: readonly W[], separator = ', '): Kind<W> => ({
  read: (text, name) => {
    const found = words.find((word) => word === text);
    if (found === undefined) {
      throw new UsageError(`--${name} takes ${words.join(separator)}, not "${text}"`);
    }
    return found;
  },
});

/** Some of some words, with commas between them. */
export const someOf = <W extends string>(words: readonly W[]): Kind<W[]> => ({
  read: (text, name) => {
    const known: readonly string[] = words;
    const requested = [...new Set(text.split(',').map((word) => word.trim()))];
    const unknown = requested.filter((word) => !known.includes(word));
    if (unknown.length > 0) {
      throw new UsageError(`--${name} takes ${words.join(',')} or some of them, not "${unknown.join(',')}"`);
    }
    return requested as W[];
  },
});

/** A date, YYYY-MM-DD. */
export const day: Kind<string> = {
  read: (text, name) => {
    if (!isCalendarDate(text)) {
      throw new UsageError(`--${name} takes a day such as 2026-06-15, not "${text}"`);
    }
    return text;
  },
};

/** A year of this century. */
export const year: Kind<string> = {
  read: (text, name) => {
    if (!/^20\d\d$/.test(text)) {
      throw new UsageError(`--${name} takes a year such as 2026, not "${text}"`);
    }
    return text;
  },
};

/** The option that names one of the two books of a business. */
export const modeOption = {
  value: modes.join('|'),
  meaning: 'the live book (default) or the test book',
  kind: oneOf(modes, ' or '),
} as const;

/** The option that leaves the rows of other businesses out of a list. */
export const ofBusiness = {
  value: 'ID',
  meaning: 'only those of this business',
  kind: businessId,
} as const;

/** The members that are given: a request has none for an option that is absent. */
export const given = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [N in keyof T]?: Exclude<T[N], undefined>;
  };
