// Entry point for bundling yaml, so that it does not have to be installed.
export { Composer, type CST, type Document, isAlias, isMap, LineCounter, Parser, visit } from 'yaml';
