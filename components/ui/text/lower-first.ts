/** Returns the phrase for the middle of a sentence: "The export" becomes "the export". */
export const lowerFirst = (phrase: string): string => `${phrase.charAt(0).toLowerCase()}${phrase.slice(1)}`
