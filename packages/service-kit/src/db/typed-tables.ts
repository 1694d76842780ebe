import type { SelectType } from 'kysely';

/**
 * Tables as they are generated from the database, with the types of some columns by hand: the words that a text may be, the shape of
 * JSON, what is written otherwise than it is read. A table or a column that the database does not have, or reads otherwise, is no
 * `Own`.
 */
export type Typed<
  Tables,
  Own extends {
    [T in keyof Own]: T extends keyof Tables
      ? {
          [C in keyof Own[T]]: C extends keyof Tables[T]
            ? Fitting<SelectType<Own[T][C]>, SelectType<Tables[T][C]>>
            : never;
        }
      : never;
  },
> = { [T in keyof Own & keyof Tables]: Omit<Tables[T], keyof Own[T]> & Own[T] };

/** Whether a type by hand is a part of the one that is generated, and null where that may be; never: it is not. */
type Fitting<Hand, Generated> = [Hand] extends [Generated]
  ? null extends Generated
    ? null extends Hand
      ? unknown
      : unknown extends Generated
        ? unknown
        : never
    : unknown
  : never;

/** A table whose columns all have the types that are generated. */
export type AsGenerated = Record<never, never>;
