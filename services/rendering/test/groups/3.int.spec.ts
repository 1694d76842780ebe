import '../circuit-breaking-renderer.int.spec.js';
import '../golden-pdf.int.spec.js';
import '../hostile-texts.int.spec.js';
import '../readiness.int.spec.js';
import '../render-page.int.spec.js';
import '../settle-artifact.int.spec.js';
import '../store-logo.int.spec.js';
