import { text } from '#components/language/text.ts'

// In place of a page that stopped working. Without arguments, so that these small scripts need no formatter.

export const pageStopped = text('This page stopped working')
export const pageStoppedAbout = text(
  'An error occurred in the page; you didn’t cause it. Changes that the server confirmed are stored. Unsent input may be lost.',
)
export const showAgain = text('Show the page again')
export const errorInPage = text('An error occurred in the page.')
export const stored = text('Changes that the server confirmed are stored. Unsent input may be lost.')
export const showOrOpen = text('Show the page again, or open another page.')
