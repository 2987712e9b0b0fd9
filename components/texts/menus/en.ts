import { text } from '#components/language/text.ts'

// Menus of the top bar, which a page loads when one is opened.

export const theme = text('Theme')
export const matchDevice = text('Match this device')
export const light = text('Light')
export const dark = text('Dark')
export const language = text('Language')
export const asOrganisation = text('As the organisation: {language}')
export const asBrowser = text('As this browser asks')
export const alsoInMails = text('In every browser, and in your mails')
export const storingLanguage = text('Storing the language…')
export const languageNotStored = text('The language was not changed. {problem}')
export const languageUnknown = text('It is unknown whether the language was changed. {problem} Choose it again.')
export const signOut = text('Sign out')
export const organisations = text('Your organisations')
export const showTimes = text('Show times in')
export const thisDevice = text('This device')
export const thisDeviceZone = text('This device ({zone})')
export const areas = text('The areas of the console')
