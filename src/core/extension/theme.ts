// First floor, core: the colours of a terminal that is not there. Text comes back as it was.

const asItIs = (text: unknown): string => String(text);
const colored = (_color: unknown, text: unknown): string => String(text);

export const plainTheme = {
  name: 'plain',
  fg: colored,
  bg: colored,
  bold: asItIs,
  italic: asItIs,
  underline: asItIs,
  inverse: asItIs,
  strikethrough: asItIs,
  getFgAnsi: (_color?: unknown) => '',
  getBgAnsi: (_color?: unknown) => '',
  getColorMode: () => 'truecolor' as const,
  getThinkingBorderColor: (_level?: unknown) => asItIs,
  getBashModeBorderColor: () => asItIs,
};
