import '../daily-limit.int.spec.js';
import '../mailer.int.spec.js';
import '../metrics.int.spec.js';
import '../plan-delivery.int.spec.js';
import '../resend-delivery.int.spec.js';
import '../suppress-address.int.spec.js';
import '../withdraw-delivery.int.spec.js';
