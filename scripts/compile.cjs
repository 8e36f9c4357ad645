// Runs the bundled program and writes the code cache of V8 to the directory where the launcher reads it.
// @ts-check
'use strict';
const { mkdirSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const vm = require('node:vm');

const [program = '', folder = ''] = process.argv.splice(2);

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
  if (code !== 0) return;
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of scripts) writeFileSync(join(folder, name), script.createCachedData());
});
process.argv.push('--mode', 'rpc');
require(program);
