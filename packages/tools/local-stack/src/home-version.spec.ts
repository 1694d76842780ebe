import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Home, openHome, writeJson } from './home.js';
import { checkVersion } from './home-version.js';

describe('checkVersion', () => {
  let home: Home;
  beforeEach(() => {
    home = openHome(mkdtempSync(join(tmpdir(), 'pinkas-home-')));
  });
  afterEach(() => rmSync(home.path, { recursive: true }));

  it('a home is accepted again by the migrations that made it, and by later ones beside them', () => {
    checkVersion(home, { a: '1' });
    writeJson(home.secretsFile, {});
    checkVersion(home, { a: '1' });
    checkVersion(home, { a: '1', b: '2' });
    expect(() => checkVersion(home, { a: '1' })).toThrow('another version');
  });

  it('a home whose databases other migrations made is refused in one line, with the command that starts afresh', () => {
    checkVersion(home, { a: '1' });
    expect(() => checkVersion(home, { a: '2' })).toThrow(
      new RegExp(`^The data in ${home.path} is of another version .* rm -rf '${home.path}' && npm start$`),
    );
  });

  it('a home that says of no migration what made it is refused once a system has run there', () => {
    writeJson(home.secretsFile, {});
    expect(() => checkVersion(home, { a: '1' })).toThrow('To start afresh');
  });
});
