// Holds what one extension has registered, by name.
import type {
  ExtensionCommand,
  ExtensionFlag,
  ExtensionHandler,
  ExtensionSource,
  ExtensionTool,
} from '../../contracts/index.ts';

export interface Extension {
  readonly path: string;
  readonly location: ExtensionSource['location'];
  readonly baseDir: string | undefined;
  readonly handlers: Map<string, ExtensionHandler[]>;
  readonly tools: Map<string, ExtensionTool>;
  readonly commands: Map<string, ExtensionCommand>;
  readonly flags: Map<string, ExtensionFlag>;
  readonly providers: Set<string>;
}

export function createExtension({ path, location, baseDir }: Omit<ExtensionSource, 'load'>): Extension {
  return {
    path,
    location,
    baseDir,
    handlers: new Map(),
    tools: new Map(),
    commands: new Map(),
    flags: new Map(),
    providers: new Set(),
  };
}
