import { type DocumentType, documentTypeRules } from '@pinkas/domain';
import type { Language } from '@pinkas/ui';

/** The name of a type of document. */
export function typeName(type: DocumentType, language: Language): string {
  const { name, nameHe } = documentTypeRules[type];
  return language === 'he' ? nameHe : name;
}

/** A name that begins with a type, within a sentence: English writes it with a small letter there. */
export const inSentence = (name: string, language: Language): string =>
  language === 'he' ? name : name.charAt(0).toLowerCase() + name.slice(1);
