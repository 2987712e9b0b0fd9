import { text } from '#components/language/text.ts'

// In place of the whole console, if it stopped working.

export const consoleStopped = text('The console stopped working')
export const consoleStoppedAbout = text(
  'An error occurred in the console; you didn’t cause it. Changes that the server confirmed are stored.',
)
export const goToStart = text('Go to the start page')
