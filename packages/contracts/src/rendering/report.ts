import Type from 'typebox';
import { defineContract } from '../define.js';
import { Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/** Prints a report as PDF/UA-1 and PDF/A-2a. It is neither signed nor stored. */
export const printReport = defineContract('rendering.report.print', {
  request: Strict({
    /** Whose report it is: businesses take turns. */
    business_id: Type.Optional(Uuid),
    /** ASCII: the title of a page that has none of its own. */
    title: Type.String({ pattern: '^[A-Za-z0-9 .-]{1,100}$' }),
    /** A complete page, which names no other file; its `title`, `lang` and `meta` author become those of the PDF. */
    html: Type.String({ maxLength: 400_000 }),
  }),
  reply: Strict({
    /** Base64. */
    pdf: Type.String(),
  }),
  errors: ['document_generation_failed'],
  /** A report may have a hundred pages, and nothing waits for it but its reader. */
  timeoutMs: timeLimitsMs.operatorCall,
});
