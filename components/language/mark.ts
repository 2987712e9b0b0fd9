/**
 * What a build writes in the place of a text without arguments while it renders the pages. cli/console/texts/put-texts.ts replaces it
 * by the text.
 */
export const mark = (key: string): string => `⟦${key}⟧`
