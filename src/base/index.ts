// Re-exports the modules that the first reply needs. Modules that are loaded later, such as base64-image.ts, are imported directly.

export * from './append-only-buffer.ts';
export * from './channel.ts';
export * from './concat-bytes.ts';
export * from './content-kind.ts';
export * from './deferred.ts';
export * from './fault.ts';
export * from './find-closest-match.ts';
export * from './flatten-batches.ts';
export * from './json.ts';
export * from './line-splitter.ts';
