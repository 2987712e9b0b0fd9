/** The text that replaces an erased one. */
export const erasedText = '[erased]'
