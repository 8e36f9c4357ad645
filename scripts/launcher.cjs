#!/usr/bin/env node
// Starts the bundled program; installed as dist/cli.js. It is CommonJS, because Node starts it faster than ES modules, and uses the
// code cache that V8 wrote at build time, if the V8 version is the same. Both together save a third of the time to the first reply.
// @ts-check
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

const PROGRAM = join(__dirname, 'program');
const CODE_CACHE = join(PROGRAM, `compiled-${process.platform}-${process.arch}-${process.versions.v8}`);

/** Chunks that are needed together, by the file that contains them, because reading thirty files is slow. The build inserts the names. */
const PACKS = /** @type {Record<string, string[]>} */ (
  {
    /* packs */
  }
);
/** A chunk that is needed in several cases is in several files. @type {Map<string, string[]>} */
const packsOfChunk = new Map();
for (const pack of Object.keys(PACKS))
  for (const name of PACKS[pack] ?? []) packsOfChunk.set(name, [...(packsOfChunk.get(name) ?? []), pack]);

/** @type {Map<string, { exports: Record<string, unknown> }>} */
const modules = new Map();
/** @type {Map<string, Record<string, Function>>} */
const packs = new Map();

/** @param {string} name A file of the program (`./x.js`), a Node module or a package. */
function load(name) {
  if (!name.startsWith('./')) return require(name);
  const loaded = modules.get(name);
  if (loaded) return loaded.exports;
  const module = {
    exports: {},
    get url() {
      return pathToFileURL(join(PROGRAM, name)).href;
    },
  };
  modules.set(name, module);
  const candidates = packsOfChunk.get(name);
  const pack = candidates?.find((each) => packs.has(each)) ?? candidates?.[0];
  const body = pack === undefined ? runFile(name) : loadPack(pack)[name];
  body(module.exports, load, module);
  return module.exports;
}

/** @param {string} name */
function loadPack(name) {
  const pack = packs.get(name) ?? runFile(name)();
  packs.set(name, pack);
  return pack;
}

/** @param {string} name */
function runFile(name) {
  const filename = join(PROGRAM, name);
  // The bundle is ASCII only, and latin1 is the fastest encoding to read.
  const source = readFileSync(filename, 'latin1');
  return new Script(source, { filename, cachedData: readCodeCache(name) }).runInThisContext();
}

/**
 * Imports an ES module of a package. It is here, because `import()` does not work in code from the code cache.
 * @param {string} name
 */
load.importPackage = (name) => import(name);

/** @param {string} name */
function readCodeCache(name) {
  try {
    return readFileSync(join(CODE_CACHE, name));
  } catch {
    return undefined;
  }
}

load('./start.js');
