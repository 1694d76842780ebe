import '../load-balancer.int.spec.js';
import '../self-signed-certificate.int.spec.js';
