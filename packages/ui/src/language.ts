/** The languages of documents and pages. */
export const languages = ['he', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text in both languages. */
export type Words = Readonly<Record<Language, string>>;
