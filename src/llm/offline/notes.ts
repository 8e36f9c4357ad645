// First floor, llm: user messages that nobody typed: commands the host ran, summaries of earlier talk. Pure.

export interface CommandNote {
  command: string;
  /** Absent when the command printed nothing. */
  output?: string;
  /** How it ended, in the note's own words; absent when it succeeded. */
  ending?: string;
}

export interface ReadNote {
  note?: CommandNote;
  /** What is left for the user's own words. */
  rest: string;
}

const RAN = /^Ran `(?<command>[\s\S]+?)`\n(?:\(no output\)|(?<fence>`{3,})\n(?<output>[\s\S]*?)\n\k<fence>(?=\n|$))/;
const ENDING = /^\n\n(?<ending>\(command cancelled\)|Command exited with code -?\d+)/;
const CUT = /^\n\n\[Output truncated[^\n]*\]/;
const SUMMARY =
  /^The (?:conversation history before this point|following is a summary)[^\n]*\n\n<summary>\n[\s\S]*<\/summary>/;
const NO_BEGINNING = /^\(The beginning of this conversation is not available\.\)$/;

/** Splits a text into the note it begins with and the words after it. */
export function readNote(text: string): ReadNote {
  const ran = RAN.exec(text);
  if (ran?.groups) {
    let rest = text.slice(ran[0].length);
    const ending = ENDING.exec(rest);
    rest = rest.slice(ending?.[0].length ?? 0);
    rest = rest.slice(CUT.exec(rest)?.[0].length ?? 0);
    const { command = '', output } = ran.groups;
    return {
      note: {
        command,
        ...(output !== undefined && { output }),
        ...(ending?.groups?.ending && { ending: ending.groups.ending }),
      },
      rest: rest.trim(),
    };
  }
  if (NO_BEGINNING.test(text.trim())) return { rest: '' };
  return { rest: text.replace(SUMMARY, '').trim() };
}
