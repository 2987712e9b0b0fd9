import { text } from '#components/language/text.ts'

// First and last day of a period.

export const firstDay = text('First day (UTC)')
export const lastDay = text('Last day (UTC)')
export const enterFirstDay = text('Enter the first day.')
export const enterLastDay = text('Enter the last day.')
export const lastBeforeFirst = text('Choose a last day that is not before the first day.')
