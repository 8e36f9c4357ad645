// A theme without colors, for modes without a terminal. Every style returns the text unchanged.

const toText = (text: unknown): string => String(text);
const ignoreColor = (_color: unknown, text: unknown): string => String(text);

export const plainTheme = {
  name: 'plain',
  fg: ignoreColor,
  bg: ignoreColor,
  bold: toText,
  italic: toText,
  underline: toText,
  inverse: toText,
  strikethrough: toText,
  getFgAnsi: (_color?: unknown) => '',
  getBgAnsi: (_color?: unknown) => '',
  getColorMode: () => 'truecolor' as const,
  getThinkingBorderColor: (_level?: unknown) => toText,
  getBashModeBorderColor: () => toText,
};
