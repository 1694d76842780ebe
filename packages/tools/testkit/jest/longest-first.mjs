import Sequencer from '@jest/test-sequencer';

/**
 * Those that wait for most of their time come first: beside them the others have the machine. Then what takes longest, so that
 * nothing long begins late: Jest knows no more of a test that it has not run than the size of its file.
 */
const kinds = [
  /hanging-\w+\.system\.spec\.ts$/,
  /(killed-services|lost-parts)\.system\.spec\.ts$/,
  /(whole-system|console|hostile)\.system\.spec\.ts$/,
  /\.e2e\.spec\.ts$/,
  /\.system\.spec\.ts$/,
  /\.int\.spec\.ts$/,
  /\.spec\.ts$/,
];
const kindOf = ({ path }) => kinds.findIndex((kind) => kind.test(path));

/**
 * Begins with the tests of the complete system, which take longest, so that none of them is still at work when everything else
 * is done. Jest's own order knows how long a test took the last time, which a fresh clone does not.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const ordered = [...super.sort(tests)];
    return ordered.sort((a, b) => kindOf(a) - kindOf(b));
  }
}
