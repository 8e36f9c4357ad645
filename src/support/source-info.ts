// Describes where a command or a tool comes from, in the format of pi.

export interface SourceInfo {
  readonly path: string;
  /** `auto`: found in a folder; `cli`: named by a flag or a setting; `builtin`: part of the program; `sdk`: given by the host. */
  readonly source: string;
  readonly scope: 'user' | 'project' | 'temporary';
  readonly origin: 'package' | 'top-level';
  /** The directory of the package. */
  readonly baseDir?: string;
}

interface FoundResource {
  readonly path?: string | undefined;
  /** Where it was found: `user`, `project`, or any other value for a path that was named. */
  readonly location?: string | undefined;
  readonly baseDir?: string | undefined;
}

export function createSourceInfo({ path = '', location, baseDir }: FoundResource): SourceInfo {
  const scope = location === 'user' || location === 'project' ? location : 'temporary';
  const source = scope === 'temporary' ? 'cli' : 'auto';
  return baseDir === undefined
    ? { path, source, scope, origin: 'top-level' }
    : { path, source, scope, origin: 'package', baseDir };
}
