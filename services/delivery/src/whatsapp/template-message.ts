import type { WhatsAppAccount } from '../config.js';
import type { DeliveryFacts } from '../db/delivery.tables.js';
import { singleLine, totalText, typeName } from '../message/wording.js';

/** The content of a message by WhatsApp, and its recipient. */
export interface TemplateFacts {
  /** The API returns it with later status reports. */
  readonly id: string;
  /** E.164 */
  readonly recipient: string;
  readonly facts: DeliveryFacts;
  /** The allocation number that a follow-up brings; null: it is no follow-up. */
  readonly followUpNumber: string | null;
}

/**
 * The message as the Cloud API takes it (`POST /{phone-number-id}/messages`): an approved template, filled in. A business may
 * write to a customer who has not written first with a template only. A follow-up has its own template, which names the allocation
 * number in place of the total.
 */
export function templateMessage(
  message: TemplateFacts,
  {
    template,
    followUpTemplate,
    languages,
  }: Pick<WhatsAppAccount, 'template' | 'followUpTemplate' | 'languages'>,
): object {
  const { facts, followUpNumber } = message;
  const parameter = (text: string) => ({ type: 'text', text });
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: message.recipient,
    type: 'template',
    template: {
      name: followUpNumber === null ? template : followUpTemplate,
      language: { code: languages[facts.business.language] },
      components: [
        {
          type: 'body',
          parameters: [
            parameter(singleLine(facts.business.name)),
            parameter(typeName(facts)),
            parameter(String(facts.document.number)),
            parameter(followUpNumber ?? totalText(facts)),
          ],
        },
        // The template's button ends in {{1}}: the last part of the address of the document's page.
        { type: 'button', sub_type: 'url', index: '0', parameters: [parameter(facts.document.public_id)] },
      ],
    },
    biz_opaque_callback_data: message.id,
  };
}
