import { text } from '#components/language/text.ts'

// When another page of the console can’t be opened. Without arguments, so that this small script needs no formatter.

export const notOpened = text('The page can’t be opened')
export const notOpenedAbout = text(
  'The server can’t be reached. This page is as it was, with what you typed. Nothing was changed.',
)
export const tryAgain = text('Try again')
export const trying = text('Trying again…')
export const stay = text('Stay on this page')
