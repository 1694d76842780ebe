import '../audit-artifacts.int.spec.js';
import '../conformance.int.spec.js';
import '../gotenberg-client.int.spec.js';
import '../number-artifact.int.spec.js';
import '../release-artifact.int.spec.js';
import '../revocation.int.spec.js';
import '../signature.int.spec.js';
import '../text-direction.int.spec.js';
