// Table of contents of the ground floor's smallest words. Not frontmatter.ts, which only what is loaded late needs.
export * from './channel.ts';
export * from './content-kind.ts';
export * from './deferred.ts';
export * from './fault.ts';
export * from './flattened.ts';
export * from './growing-bytes.ts';
export * from './json.ts';
export * from './lines.ts';
export * from './nearest.ts';
