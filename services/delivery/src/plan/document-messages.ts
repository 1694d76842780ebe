import { sql } from 'kysely';

/** Which rows of `delivery` bring their document: a reminder and a statement may be about others, and change nothing of its delivery. */
export const bringsDocument = sql<boolean>`delivery.reminder is null`;
/** The same, of `delivery as other`. */
export const otherBringsDocument = sql<boolean>`other.reminder is null`;
