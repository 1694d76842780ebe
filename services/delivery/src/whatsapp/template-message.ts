import type { WhatsAppAccount } from '../config.js';
import type { DeliveryFacts } from '../delivery/delivery.tables.js';
import { singleLine, totalText, typeName } from '../delivery/wording.js';

/**
 * The message as the Cloud API takes it (`POST /{phone-number-id}/messages`): an approved template, filled in. A business may
 * write to a customer who has not written first with a template only.
 * @param message the API returns its id with later status reports; `recipient` is in E.164.
 */
export function templateMessage(
  message: { id: string; recipient: string; facts: DeliveryFacts },
  { template, languages }: Pick<WhatsAppAccount, 'template' | 'languages'>,
): object {
  const { facts } = message;
  const parameter = (text: string) => ({ type: 'text', text });
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: message.recipient,
    type: 'template',
    template: {
      name: template,
      language: { code: languages[facts.business.language] },
      components: [
        {
          type: 'body',
          parameters: [
            parameter(singleLine(facts.business.name)),
            parameter(typeName(facts)),
            parameter(String(facts.document.number)),
            parameter(totalText(facts)),
          ],
        },
        // The template's button ends in {{1}}: the last part of the address of the document's page.
        { type: 'button', sub_type: 'url', index: '0', parameters: [parameter(facts.document.public_id)] },
      ],
    },
    biz_opaque_callback_data: message.id,
  };
}
