import { completeConnection } from '../allocation-operations.js';
import type { Contract, ServiceName } from '../define.js';
import {
  cancelArtifact,
  cancelDocument,
  findPublicDocument,
  getArtifact,
  getDocument,
  getUsage,
  handOverArtifact,
  issueDocument,
  keepLogo,
  listDocuments,
  listSeries,
  releaseCustomer,
  renderArtifact,
  renderPage,
  resolveCustomer,
  searchCustomers,
} from '../services.js';

/**
 * What each service asks of others: all that it may ask, since the permissions on NATS are made of it. What the operator's
 * command asks is not listed, since it may ask everything; nor what every consumer asks of the owner of its event.
 */
export const asks: Readonly<Record<ServiceName, readonly Contract[]>> = {
  gateway: [
    issueDocument,
    getDocument,
    listDocuments,
    cancelDocument,
    findPublicDocument,
    getUsage,
    listSeries,
    searchCustomers,
    getArtifact,
    cancelArtifact,
    renderPage,
    keepLogo,
    completeConnection,
  ],
  issuing: [resolveCustomer, releaseCustomer, renderArtifact],
  customer: [],
  rendering: [getDocument],
  allocation: [],
  delivery: [getArtifact, handOverArtifact],
};
