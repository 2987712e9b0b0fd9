import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  byDay: 'Nach Tagen<hidden>: {title}</hidden>',
  caption: '{title} nach Tagen',
  more: 'mehr als üblich',
  usual: 'üblich {value}',
  usualRange: 'üblich {low} bis {high}',
  today: 'heute',
  none: 'keine',
  day: 'Tag',
}
