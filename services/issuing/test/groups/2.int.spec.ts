import '../clocks.int.spec.js';
import '../issue-document.int.spec.js';
import '../list-of-a-large-book.int.spec.js';
import '../numbering.int.spec.js';
import '../read-book.int.spec.js';
import '../rules.int.spec.js';
import '../sources.int.spec.js';
