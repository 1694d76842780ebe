import { type DocumentType, documentTypeRules } from '@pinkas/domain';
import type { Language } from '@pinkas/ui';

/** The name of a type of document. */
export function typeName(type: DocumentType, language: Language): string {
  const { name, nameHe } = documentTypeRules[type];
  return language === 'he' ? nameHe : name;
}
