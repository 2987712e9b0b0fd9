import { text } from '#components/language/text.ts'

// A figure with its line and its table.

export const byDay = text('By day<hidden>: {title}</hidden>')
export const caption = text('{title} by day')
export const more = text('more than usual')
export const usual = text('usual {value}')
export const usualRange = text('usual {low} to {high}')
export const today = text('today')
export const none = text('none')
export const day = text('Day')
