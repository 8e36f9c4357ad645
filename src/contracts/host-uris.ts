// URIs of schemes that the host has registered, such as db://users/1. The read and write tools use them like files.
import type { ImageContent } from '../protocol/index.ts';

export interface HostUriContent {
  readonly content: string;
  /** Shown to the model after the content. */
  readonly notes: readonly string[];
  readonly images?: readonly ImageContent[] | undefined;
}

export interface HostUris {
  /** The scheme of a URI, in lower case, when the host has registered it. */
  findScheme(uri: string): { scheme: string; writable: boolean } | undefined;
  read(uri: string, signal: AbortSignal): Promise<HostUriContent>;
  write(uri: string, content: string, signal: AbortSignal): Promise<void>;
}
