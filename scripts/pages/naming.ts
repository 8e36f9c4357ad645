// Converts names for schemas and links.

/** `set_session_name` and `setSessionName` become `SetSessionName`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The anchor of a heading on its page. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
