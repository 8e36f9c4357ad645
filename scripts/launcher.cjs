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

/** What a first prompt needs, in one file: reading thirty costs more than what is in them. The build writes the names. */
const TOGETHER = /** @type {Set<string>} */ (new Set(/* together */ []));

/** @type {Map<string, { exports: Record<string, unknown> }>} */
const modules = new Map();
/** @type {Record<string, Function> | undefined} */
let together;

/** @param {string} name Of a file of the program, or of a module of Node or of a package. */
function load(name) {
  if (!name.startsWith('./')) return require(name);
  const known = modules.get(name);
  if (known) return known.exports;
  const module = {
    exports: {},
    get url() {
      return pathToFileURL(join(PROGRAM, name)).href;
    },
  };
  modules.set(name, module);
  if (TOGETHER.has(name)) together ??= run('./together.js')();
  const body = together?.[name] ?? run(name);
  body(module.exports, load, module);
  return module.exports;
}

/** @param {string} name */
function run(name) {
  const filename = join(PROGRAM, name);
  // The bundle is plain ASCII, and this encoding is the quickest to read.
  const source = readFileSync(filename, 'latin1');
  return new Script(source, { filename, cachedData: compiled(name) }).runInThisContext();
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
