import { type Agorot, fromShekels, toShekels } from '@pinkas/domain';

/** The amount of a column, which is a text with two decimals. */
export const agorotOf = (amount: string): Agorot => fromShekels(Number(amount));

/** An amount for a column. */
export const decimalOf = (amount: Agorot): string => toShekels(amount).toFixed(2);
