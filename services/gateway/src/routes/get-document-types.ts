import { type DocumentTypeEntry, getDocumentTypes } from '@pinkas/contracts';
import { documentTypeRules } from '@pinkas/domain';
import { HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';
import { allowedTypes } from './allowed-types.js';

/** The types of document that the business may issue, with the rules of each. */
@HttpRoute(getDocumentTypes)
export class GetDocumentTypes {
  async handle({ principal }: RouteRequest): Promise<RouteReply<{ data: DocumentTypeEntry[] }>> {
    const data = allowedTypes(principal.business).map((type) => {
      const rules = documentTypeRules[type];
      return {
        type,
        name: rules.name,
        name_he: rules.nameHe,
        requires_payments: rules.payments === 'required',
        allows_discount: rules.discount === 'allowed',
        based_on_types: [...rules.sources],
        based_on_required: rules.sourceRequired,
      };
    });
    return { body: { data } };
  }
}
