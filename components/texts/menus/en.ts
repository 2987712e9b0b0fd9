import { text } from '#components/language/text.ts'

// Menus of the top bar, which a page loads when one is opened.

export const theme = text('Theme')
export const matchDevice = text('Match this device')
export const light = text('Light')
export const dark = text('Dark')
export const language = text('Language')
export const signOut = text('Sign out')
export const organisations = text('Your organisations')
export const showTimes = text('Show times in')
export const thisDevice = text('This device')
export const thisDeviceZone = text('This device ({zone})')
export const areas = text('The areas of the console')
