import '../cancel-artifact.int.spec.js';
import '../every-document.int.spec.js';
import '../hosted-page.int.spec.js';
import '../orphan-purger.int.spec.js';
import '../render-artifact.int.spec.js';
import '../schema.int.spec.js';
import '../sound-pdf.int.spec.js';
import '../timestamp.int.spec.js';
