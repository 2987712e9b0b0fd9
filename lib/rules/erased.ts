/** What stands in the place of a text that an erasure took. */
export const erasedText = '[erased]'
