// Records which lazily loaded files of the built program were loaded.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTemporaryDirectory } from './temporary-directory.ts';

export interface ChunkRecorder {
  /** Environment variables that turn the recording on. */
  readonly env: Readonly<Record<string, string>>;
  /** The files that were loaded so far. */
  listLoaded(): Set<string>;
}

/** Files that contain several others. */
const PACKS = ['prompt-chunks.js', 'server-chunks.js'];

/** Loaded before the launcher, which runs each file with `vm.Script`. Packed files are properties of an object. */
const PRELOAD = `
const { appendFileSync } = require('node:fs');
const { basename } = require('node:path');
const vm = require('node:vm');
const PACKS = ${JSON.stringify(PACKS)};
const record = (name) => appendFileSync(process.env.PARLEY_TEST_CHUNKS, basename(name) + '\\n');
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    this.filename = options.filename;
  }
  runInThisContext(...args) {
    record(this.filename);
    const run = super.runInThisContext(...args);
    if (!PACKS.includes(basename(this.filename))) return run;
    return () => new Proxy(run(), { get: (files, name) => (files[name] && record(name), files[name]) });
  }
};`;

/** @param directory For the record file. */
export function createChunkRecorder(directory: string): ChunkRecorder {
  const [preload, record] = [join(directory, 'preload.cjs'), join(directory, 'opened')];
  writeFileSync(preload, PRELOAD);
  writeFileSync(record, '');
  return {
    env: { NODE_OPTIONS: `--require ${preload}`, PARLEY_TEST_CHUNKS: record },
    listLoaded: () => new Set(readFileSync(record, 'utf8').split('\n')),
  };
}

/** All lazily loaded files of a built program, including packed ones. */
export function listChunks(program: string): string[] {
  const files = readdirSync(join(dirname(program), 'program')).filter((name) => name.endsWith('.js'));
  const [packs = ''] = /const PACKS = [^;]*;/.exec(readFileSync(program, 'utf8')) ?? [];
  const packed = [...packs.matchAll(/"\.\/([^"]+)"/g)].map(([, name = '']) => name);
  return [...new Set([...files, ...packed])].filter((name) => !['start.js', ...PACKS].includes(name)).sort();
}

/** Loads each file as the launcher does. Returns files without exports, and exports that are undefined. */
export function findEmptyExports(program: string, runtime: string): string[] {
  const directory = createTemporaryDirectory();
  const [script, result] = [join(directory, 'load.cjs'), join(directory, 'result')];
  writeFileSync(script, createLoadingProgram(program, result));
  // start.js runs too, and needs an argument.
  const { status, stderr } = spawnSync(runtime, [script, '--version'], {
    env: { PATH: process.env.PATH, HOME: directory, PARLEY_DIR: directory },
    encoding: 'utf8',
  });
  return status === 0 && stderr === '' ? JSON.parse(readFileSync(result, 'utf8')) : [`${status}: ${stderr}`];
}

function createLoadingProgram(program: string, result: string): string {
  const launcher = readFileSync(program, 'utf8').replace('__dirname', JSON.stringify(dirname(program)));
  return `${launcher.replace(/^#!.*/, '')}
require = require('node:module').createRequire(${JSON.stringify(program)});
const empty = ${JSON.stringify(listChunks(program))}.flatMap((name) => {
  const members = Object.entries(load('./' + name));
  if (members.length === 0) return [name];
  return members.filter(([, value]) => value === undefined).map(([member]) => name + ' ' + member);
});
require('node:fs').writeFileSync(${JSON.stringify(result)}, JSON.stringify(empty));`;
}
