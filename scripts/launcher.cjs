#!/usr/bin/env node
// Starts the bundled program, of which this is the door: dist/cli.js. CommonJS, which Node starts sooner than ES modules, and
// with the code that V8 compiled at build time, if it was this very V8: together a third of the time to the first reply.
// @ts-check
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

const PROGRAM = join(__dirname, 'program');
const COMPILED = join(PROGRAM, `compiled-${process.platform}-${process.arch}-${process.versions.v8}`);

/** @type {Map<string, { exports: Record<string, unknown> }>} */
const modules = new Map();

/** @param {string} name Of a file of the program, or of a module of Node or of a package. */
function load(name) {
  if (!name.startsWith('./')) return require(name);
  const known = modules.get(name);
  if (known) return known.exports;
  const filename = join(PROGRAM, name);
  const module = {
    exports: {},
    get url() {
      return pathToFileURL(filename).href;
    },
  };
  modules.set(name, module);
  // The bundle is plain ASCII, and this encoding is the quickest to read.
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData: compiled(name) });
  script.runInThisContext()(module.exports, load, module);
  return module.exports;
}

/**
 * Imports an ES module of a package. Here, because code that was compiled before has forgotten how.
 * @param {string} name
 */
load.foreign = (name) => import(name);

/** @param {string} name */
function compiled(name) {
  try {
    return readFileSync(join(COMPILED, name));
  } catch {
    return undefined;
  }
}

load('./start.js');
