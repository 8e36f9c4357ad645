// Reads the bodies of here-documents, which follow the line of their command.
import type { HereText } from './shell-facts.ts';
import type { TextCursor } from './text-cursor.ts';

export interface PendingHereDocument {
  readonly delimiter: string;
  /** With quotes in the delimiter, the body is taken as it is. */
  readonly isQuoted: boolean;
  /** `<<-`: tabs at the start of lines are removed. */
  readonly stripsTabs: boolean;
  readonly here: HereText;
}

/** The position is at the start of the body, and afterwards at the start of the line after the delimiter. */
export function readHereDocument(cursor: TextCursor, document: PendingHereDocument): string {
  let body = '';
  for (;;) {
    if (cursor.position >= cursor.text.length) cursor.fail('A here-document is not closed.');
    const newline = cursor.text.indexOf('\n', cursor.position);
    const end = newline < 0 ? cursor.text.length : newline;
    const written = cursor.text.slice(cursor.position, end);
    const line = document.stripsTabs ? written.replace(/^\t+/, '') : written;
    cursor.position = newline < 0 ? end : end + 1;
    cursor.end = cursor.position;
    if (line === document.delimiter) return body;
    if (!document.isQuoted && line.endsWith('\\')) cursor.fail('A line of a here-document ends with a backslash.');
    body += `${line}\n`;
  }
}
