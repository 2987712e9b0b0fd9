/** Characters that a terminal acts on, or that reorder what it shows. Values come from agents, their tools and other people's archives. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** The text with such characters as their JSON escapes. */
export const visible = (text: string): string =>
  text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
