// How settings files are read: those of a trusted project with the checks of project-reading.ts.
import type { SettingsPlace } from '../settings.ts';
import type { ProjectReadingOptions } from './project-reading.ts';

/** The rules are loaded when the project is trusted, and only then. */
export async function settingsReading(
  options: ProjectReadingOptions & { readonly trusted: boolean },
): Promise<SettingsPlace['files']> {
  if (!options.trusted) return options.files;
  return (await import('./project-reading.ts')).createProjectReading(options);
}
