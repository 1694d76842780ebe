import '../cancel-document.int.spec.js';
import '../customer-cards.int.spec.js';
import '../list-documents.int.spec.js';
import '../list-order.int.spec.js';
import '../outcomes.int.spec.js';
import '../row-security.int.spec.js';
import '../schema.int.spec.js';
