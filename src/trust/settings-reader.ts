// Creates the reader for settings files. For a trusted project it uses the checks of project-reader.ts.
import type { LoadSettingsOptions } from '../settings/index.ts';
import type { ProjectReaderOptions } from './project-reader.ts';

/** Loads the checks only when the project is trusted. */
export async function createSettingsReader(
  options: ProjectReaderOptions & { readonly trusted: boolean },
): Promise<LoadSettingsOptions['files']> {
  if (!options.trusted) return options.files;
  return (await import('./project-reader.ts')).createProjectReader(options);
}
