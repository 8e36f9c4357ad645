// Runs the bundled program and writes the code cache of V8 to the directory where the launcher reads it. Files of an earlier run stay.
// @ts-check
'use strict';
const { existsSync, mkdirSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const vm = require('node:vm');

const [program = '', folder = '', ...args] = process.argv.splice(2);

/** The exit codes of a run that has ended as planned: a server ends with SIGTERM. */
const EXPECTED_CODES = [0, 143];

/** @type {Map<string, vm.Script>} */
const scripts = new Map();
vm.Script = class extends vm.Script {
  /**
   * @param {string} source
   * @param {vm.ScriptOptions & { filename: string }} options
   */
  constructor(source, options) {
    super(source, options);
    scripts.set(basename(options.filename), this);
  }
};

process.on('exit', (code) => {
  if (!EXPECTED_CODES.includes(code)) return;
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of scripts)
    if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), script.createCachedData());
});
process.argv.push(...args);
require(program);
