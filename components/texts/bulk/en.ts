import { text } from '#components/language/text.ts'

// Several acts with one reason, and what became of each.

export const close = text('Close')
export const recording = text('Recording…')
export const refused = text('Refused: {why}')
export const unknown = text('Outcome unknown: {why}')
export const someRefused = text(
  '{list, select, approvals {{count, plural, one {# request} other {# requests}} refused.} other {{count, plural, one {# execution} other {# executions}} refused.}}',
)
export const someUnknown = text(
  '{list, select, approvals {The outcome of {count, plural, one {# request} other {# requests}} is unknown: open each to see whether it was recorded.} other {The outcome of {count, plural, one {# execution} other {# executions}} is unknown: open each to see whether it was recorded.}}',
)
