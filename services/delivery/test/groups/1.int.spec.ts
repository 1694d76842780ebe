import '../allocation-hold.int.spec.js';
import '../mail-failures.int.spec.js';
import '../message-sender.int.spec.js';
import '../once-only.int.spec.js';
import '../release-delivery.int.spec.js';
import '../schema.int.spec.js';
import '../whatsapp.int.spec.js';
